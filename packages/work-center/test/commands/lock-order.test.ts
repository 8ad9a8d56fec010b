import type { Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../src/clock.ts'
import { lockClaims, lockSubstitutions, shareClaimsLock } from '../../src/commands/claims-lock.ts'
import { byName, lockTasks } from '../../src/commands/lock-tasks.ts'
import { createRetention } from '../../src/retention.ts'
import { definitions } from '../definitions.ts'
import { administratorRoleCodes, clear, config } from '../desk.ts'
import { batch, done, type InboxHost, openInboxHost, page, patient } from '../harness.ts'
import { addNotification, addTask, closeTask, farAhead } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
})
afterAll(() => host.close())
beforeEach(async () => {
  await clear(host.database)
  clerk = await addPerson(host, ['trade.clerk'])
})

const change = (statement: ReturnType<typeof sql>) => host.database.statement((tx) => tx.execute(statement))
const workers = () => ({
  ...{ database: host.database, definitions, config, administratorRoleCodes, announce: () => {} },
})
const { signal } = new AbortController()

type Ids = readonly [string, string]

/** The writers that lock rows and take the substitutions lock in the same statement. */
const writers: readonly [string, (ids: Ids) => Promise<unknown>][] = [
  ['a change of one entry', ([id]) => done(clerk.request, 'tasks', id, 'read')],
  [
    'a batch',
    (ids) => batch(clerk.request, { verb: 'read', items: ids.map((id) => ({ kind: 'Task', id })) }),
  ],
  [
    'marking all items as read',
    async () => {
      const { readThrough: through } = await page(clerk.request)
      await clerk.request('POST', '/api/work-center/read-all', { body: { filters: {}, through } })
    },
  ],
  [
    'the clock',
    async () => {
      await change(sql`update work_center.entries set due_at = now(), changes_at = now()`)
      await createClock(workers()).runOnce(signal)
    },
  ],
  [
    'the retention',
    async ([id]) => {
      await closeTask(host.database, id)
      await change(sql`update work_center.tasks set closed_at = '2020-01-01' where id = ${id}::uuid`)
      await createRetention(workers()).runOnce(signal)
    },
  ],
]

test.each(writers)('%s locks no row before it has the substitutions lock', async (_what, write) => {
  const add = () => addTask(host.database, { dueAtUtc: farAhead })
  const ids = [await add(), await add()] as const
  const held = await holdTransaction(host.database, lockSubstitutions)
  const writing = write(ids)
  await untilBlocked(host.database)
  const locked = await host.database
    .transaction(async (tx) => {
      for (const table of ['tasks', 'entries']) {
        await tx.execute(sql`select from ${sql.raw(`work_center.${table}`)} for update nowait`)
      }
    })
    .then(() => null)
    .catch((error: unknown) => error)
  await held.commit()
  await writing
  expect(locked).toBe(null)
})

const lockNew = (count: number) => (tx: Tx) =>
  lockTasks(
    tx,
    Array.from({ length: count }, (_, index) => ({ code: 'trade.new', deduplicationKey: `${index}` })),
  )

test.each([
  ['a claim, a release or a forward', shareClaimsLock],
  ['the handling of a change of access', lockClaims],
  ['a writer of one task', lockNew(1)],
  ['a writer of so many tasks that one lock covers all names', lockNew(501)],
])(
  'a change of a substitution waits for %s, which could not know the new substitute',
  async (_what, lock) => {
    const held = await holdTransaction(host.database, lock)
    const changing = host.database.transaction(lockSubstitutions)
    await untilBlocked(host.database)
    await held.commit()
    await changing
  },
)

test.each([
  ['a claim, a release or a forward', shareClaimsLock],
  ['a writer of one task', lockNew(1)],
  ['a writer of so many tasks that one lock covers all names', lockNew(501)],
])(
  'the handling of a change of access waits for %s, which has read the former rights',
  async (_what, lock) => {
    const held = await holdTransaction(host.database, lock)
    const handling = host.database.transaction(lockClaims)
    await untilBlocked(host.database)
    await held.commit()
    await handling
  },
)

test.each(['claim', 'read'] as const)(
  'a batch of the verb %s locks its tasks in the order of their names',
  async (verb) => {
    // Ids have the opposite order.
    const second = await addTask(host.database, { deduplicationKey: 'b' })
    const first = await addTask(host.database, { deduplicationKey: 'a' })
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`select from work_center.tasks where id = ${second}::uuid for update`),
    )
    const items = [second, first].map((id) => ({ kind: 'Task', id, expectedVersion: 1 }))
    const answer = batch(clerk.request, { verb, items })
    await untilBlocked(host.database)
    const free = await host.database.transaction((tx) =>
      tx.execute(sql`select from work_center.tasks where id = ${first}::uuid for update skip locked`),
    )
    expect(free).toEqual([])
    await held.commit()
    expect((await answer).map(({ status }) => status)).toEqual([200, 200])
  },
)

test('the retention locks the entries of notifications in the order of a batch', async () => {
  const add = () => addNotification(host.database, { to: [clerk.userId] })
  const [first, second] = [await add(), await add()]
  // The expiry and the order in the table are opposite to the ids.
  for (const id of [second, first])
    await change(sql`update work_center.entries set changes_at = null where item_id = ${id}::uuid`)
  await change(sql`
    update work_center.notifications
    set expires_at = now() - case when id = ${first}::uuid then interval '1 hour' else interval '2 hours' end`)
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`select from work_center.entries where item_id = ${first}::uuid for update`),
  )
  const items = [first, second].map((id) => ({ kind: 'Notification', id }))
  const answer = batch(clerk.request, { verb: 'read', items })
  await untilBlocked(host.database)
  const pruned = createRetention(workers()).runOnce(signal)
  await untilBlocked(host.database, 2)
  await held.commit()
  expect((await answer).map(({ status }) => status)).toEqual([200, 200])
  await pruned
  expect(await host.database.read((db) => db.execute(sql`select from work_center.entries`))).toEqual([])
})

test('the host and the database have the same order of names', async () => {
  // UTF-16, in which the host stores texts, has another order: U+1F600 consists of two units below U+FF5E.
  const keys = ['\u{1F600}', '\uFF5E', 'é', 'z', 'Z', '10', '9', '']
  const names = keys.map((deduplicationKey) => ({ code: 'trade.task', deduplicationKey }))
  const rows = await host.database.read((db) =>
    db.execute<{ key: string }>(sql`
      select key from unnest(${sql.param(keys)}::text[]) key order by key collate "C"`),
  )
  expect(names.sort(byName).map(({ deduplicationKey }) => deduplicationKey)).toEqual(
    rows.map(({ key }) => key),
  )
})
