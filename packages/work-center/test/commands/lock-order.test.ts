import type { Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../src/clock.ts'
import { lockClaims, lockSubstitutions, shareClaimsLock } from '../../src/commands/claims-lock.ts'
import { lockTasks } from '../../src/commands/lock-tasks.ts'
import { createRetention } from '../../src/retention.ts'
import { definitions } from '../definitions.ts'
import { administratorRoleCodes, clear, config } from '../desk.ts'
import { batch, done, type InboxHost, openInboxHost, page, patient } from '../harness.ts'
import { addTask, closeTask, farAhead } from '../items.ts'
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
