import { newId, recordAudit } from '@vertical-kit/core-audit'
import { firstEventIdAt, idAt } from '@vertical-kit/core-audit/audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { holdTransaction, recordStatements } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createWatch } from '../../src/watch/watch.ts'
import { takePosition } from '../../src/watch/watched-events.ts'
import { config } from '../desk.ts'
import { expectJson, page } from '../harness.ts'
import { addPerson, addRole, deactivate, giveRole, type Person, takeRole, viewInvoices } from '../people.ts'
import { type Office, openOffice, watch } from './office.ts'

let office: Office
const record = recordStatements()
let endsBeforeCommit = false
let carl: Person
let clara: Person
beforeAll(async () => {
  office = await openOffice({
    observe: (database) =>
      record.observe({
        ...database,
        transaction: (work) =>
          database.transaction(async (tx) => {
            const result = await work(tx)
            if (endsBeforeCommit) throw new Error('the process ended')
            return result
          }),
      }),
  })
  carl = await addPerson(office, ['trade.clerk'])
  clara = await addPerson(office, ['trade.clerk'])
})
afterAll(() => office.close())

const path = ({ kind, typeCode, id }: BusinessObjectReference): string =>
  `/api/business-objects/watch?kind=${kind}&typeCode=${typeCode}&objectId=${id}`
const put = (person: Person, invoice: BusinessObjectReference) => person.request('PUT', path(invoice))
const isWatching = async (person: Person, invoice: BusinessObjectReference): Promise<unknown> =>
  expectJson(await person.request('GET', path(invoice)))

/** Adds an invoice that these users follow. */
async function followed(...followers: readonly Person[]): Promise<BusinessObjectReference> {
  const invoice = await office.addInvoice()
  for (const person of followers) expect((await put(person, invoice)).status).toBe(204)
  return invoice
}

/** Returns the titles of a user's notifications about an invoice. */
async function newsOf(person: Person, { id }: BusinessObjectReference): Promise<readonly string[]> {
  const { items } = await page(person.request, 'tab=notifications&limit=100')
  return items.filter(({ source }) => source.entityId === id).map(({ title }) => title)
}

/** A request of an administrator, below `/api/security/`. */
type Change = readonly ['PUT' | 'POST', path: string, body?: object]

/** Handles all events. Returns the most statements of a cycle: events of the current millisecond wait for the next one. */
async function mostStatements(): Promise<number> {
  let most = 0
  for (let cycle = 0; cycle < 3; cycle += 1) {
    record.reset()
    await office.followOnce()
    most = Math.max(most, record.count)
  }
  return most
}

/** Moves all windows and events of the past out of the five minutes. */
const fiveMinutesLater = () =>
  office.database.statement((tx) =>
    tx.execute(sql`update work_center.watch_windows set started_at = started_at - interval '5 minutes'`),
  )

describe('PUT, DELETE and GET /api/business-objects/watch', () => {
  test('follow an object, and no longer; each is idempotent', async () => {
    const invoice = await office.addInvoice()
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: false })
    for (const method of ['PUT', 'PUT']) expect((await clara.request(method, path(invoice))).status).toBe(204)
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: true })
    expect(await isWatching(carl, invoice)).toEqual({ isWatching: false })
    for (const method of ['DELETE', 'DELETE']) {
      const response = await clara.request(method, path(invoice))
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: false })
  })

  test.each(['GET', 'PUT', 'DELETE'])('%s refuses objects like the object itself', async (method) => {
    const answer = async (invoice: BusinessObjectReference) => {
      const response = await clara.request(method, path(invoice))
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    const hidden = await followed(clara)
    await office.hide(hidden, clara)
    const missing = [404, 'business_object.not_found']
    expect(await answer(hidden)).toEqual(missing)
    expect(await answer({ ...hidden, id: newId() })).toEqual(missing)
    expect(await answer({ ...hidden, typeCode: 'trade.unknown' })).toEqual([
      400,
      'business_object.unsupported',
    ])
    expect(await answer({ ...hidden, id: '1' })).toEqual([400, 'request.invalid'])
  })

  test('concurrent requests of a user leave one row', async () => {
    const invoice = await office.addInvoice()
    const answers = await Promise.all(Array.from({ length: 30 }, () => put(clara, invoice)))
    expect(answers.every(({ status }) => status === 204)).toBe(true)
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: true })
  })
})

describe('a follower is notified', () => {
  test('of what others do, and not of own work, of the service’s, or of other objects', async () => {
    const [invoice, other] = [await followed(clara, carl), await office.addInvoice()]
    await office.act(carl, invoice)
    await office.act(carl, other)
    await office.act(null, other)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([`${carl.subject} worked on Invoice 7`])
    expect(await newsOf(carl, invoice)).toEqual([])
    expect(await newsOf(clara, other)).toEqual([])
    expect(office.announced.at(-1)?.has(clara.userId)).toBe(true)
  })

  test('once for all that one person does to one object within five minutes, and again afterwards', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const [invoice, other] = [await followed(clara), await followed(clara)]
    for (let turn = 0; turn < 3; turn += 1) {
      await office.act(carl, invoice)
      await office.act(carl, invoice)
      await office.follow()
    }
    expect(await newsOf(clara, invoice)).toHaveLength(1)
    await office.act(dora, invoice)
    await office.act(carl, other)
    await office.follow()
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(2)
    expect(await newsOf(clara, other)).toHaveLength(1)
    await fiveMinutesLater()
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(3)
  })

  test('also if they begin to follow while another follower’s five minutes run', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const invoice = await followed(clara)
    await office.act(carl, invoice)
    await office.follow()
    await put(dora, invoice)
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(dora, invoice)).toHaveLength(1)
    expect(await newsOf(clara, invoice)).toHaveLength(1)
  })

  test('not of earlier events, and not after they no longer follow', async () => {
    const invoice = await office.addInvoice()
    await office.act(carl, invoice)
    await put(clara, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
    await clara.request('DELETE', path(invoice))
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
  })

  test('not of the time in which they may not read the object, also not later', async () => {
    const invoice = await followed(clara)
    await office.hide(invoice, clara)
    await office.act(carl, invoice)
    await office.follow()
    await office.show(invoice, clara)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(1)
  })

  test.each<[string, (dora: Person, roleId: string) => readonly [lost: Change, given: Change]]>([
    [
      'their roles',
      ({ userId }, roleId) => [
        ['PUT', `users/${userId}/roles`, { roleIds: [] }],
        ['PUT', `users/${userId}/roles`, { roleIds: [roleId] }],
      ],
    ],
    [
      'their activity',
      ({ userId }) => [
        ['POST', `users/${userId}/deactivate`],
        ['POST', `users/${userId}/reactivate`],
      ],
    ],
    [
      'the activity of their role',
      (_dora, roleId) => [
        ['POST', `roles/${roleId}/deactivate`],
        ['POST', `roles/${roleId}/reactivate`],
      ],
    ],
    [
      'the permissions of their role',
      (_dora, roleId) => [
        ['PUT', `roles/${roleId}/permissions`, { permissions: [] }],
        ['PUT', `roles/${roleId}/permissions`, { permissions: ['system.work_center.supervise'] }],
      ],
    ],
  ])(
    'not of what happened before %s changed, although they have the right when the worker looks',
    async (_what, changes) => {
      // A change of permissions can only grant those that a module has registered.
      const code = `trade.guest_${newId()}`
      const roleId = await addRole(office.database, code, [viewInvoices])
      const dora = await addPerson(office, [code])
      const invoice = await followed(dora, clara)
      const root = await office.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
      const [lost, given] = changes(dora, roleId).map(
        ([method, path, body]) =>
          async () =>
            expectJson(await root(method, `/api/security/${path}`, body === undefined ? {} : { body })),
      ) as [() => Promise<unknown>, () => Promise<unknown>]
      await lost()
      await office.act(carl, invoice)
      await given()
      await addRole(office.database, code, [viewInvoices])
      await office.follow()
      expect(await newsOf(dora, invoice)).toEqual([])
      expect(await newsOf(clara, invoice)).toHaveLength(1)
      await office.act(carl, invoice)
      await office.follow()
      expect(await newsOf(dora, invoice)).toHaveLength(1)
    },
  )

  test('not without the role, as an inactive user, or of events that they could not see in a timeline', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const gone = await addPerson(office, ['trade.clerk'])
    const invoice = await followed(dora, gone, clara)
    await takeRole(office.database, dora, 'trade.clerk')
    await deactivate(office.database, gone)
    await office.act(carl, invoice, 'secrets')
    await office.act(carl, invoice, 'unregistered')
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
    await office.act(carl, invoice)
    await office.follow()
    await giveRole(office.database, dora, 'trade.clerk')
    expect(await newsOf(dora, invoice)).toEqual([])
    expect(await newsOf(clara, invoice)).toHaveLength(1)
    const rows = await office.database.read((db) =>
      db.execute(sql`select from work_center.entries where user_id = ${gone.userId}::uuid`),
    )
    expect(rows).toEqual([])
  })

  test('also of events of a module whose feature is off here: another replica has written them', async () => {
    const invoice = await followed(clara)
    await office.act(carl, invoice, 'off')
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(1)
  })

  test('not if they have switched the notification off', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const invoice = await followed(dora)
    const preferences = [{ code: 'work_center.object_changed', channel: 'InApp', isEnabled: false }]
    await expectJson(await dora.request('PUT', '/api/me/notification-preferences', { body: { preferences } }))
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(dora, invoice)).toEqual([])
  })
})

test('an event that commits after later ones is not missed', async () => {
  const invoice = await followed(clara)
  const other = await followed(clara)
  const target = invoice
  await office.database.transaction(async (tx) => {
    await recordAudit(tx, {
      ...{ module: 'trade', target, actionCode: 'trade.changed', correlationId: null },
      actorUserId: carl.userId,
    })
    // `recordAudit` does not wait until its event has an id, and later statements do.
    await tx.execute(sql`select 1`)
    await office.act(carl, other)
    for (let cycle = 0; cycle < 3; cycle += 1) await office.followOnce()
    // The later event waits, because an event before it can still commit.
    expect(await newsOf(clara, other)).toEqual([])
  })
  await office.follow()
  expect(await newsOf(clara, invoice)).toHaveLength(1)
  expect(await newsOf(clara, other)).toHaveLength(1)
})

test('after full batches, an event is not missed if the clock goes back by less than the time since the last cycle', async () => {
  const [first, second, later, stepped] = [
    await followed(clara),
    await followed(clara),
    await followed(clara),
    await followed(clara),
  ]
  let isFirst = true
  const parts = createWatch({
    ...watch,
    async describe(db, references) {
      // Commits between two batches of the cycle.
      if (isFirst) await office.act(carl, later)
      isFirst = false
      return watch.describe(db, references)
    },
  })
  const [worker] = parts.workers({
    ...{ database: office.database, config, definitions: parts.definitions, batchSize: 1 },
    ...{ administratorRoleCodes: ['trade.administrator'], announce: () => {} },
  })
  const runOnce = () => worker?.runOnce(new AbortController().signal)
  await office.follow()
  await office.act(carl, first)
  await office.act(carl, second)
  // The first cycle only looks at the open transactions, in a later millisecond.
  await newsOf(clara, first)
  await runOnce()
  await runOnce()
  expect(await newsOf(clara, second)).toHaveLength(1)
  // The clock goes back: the id of this event is smaller than that of the event before.
  await office.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events (
        id, module, target_kind, target_type_code, target_id, action_code, actor_user_id
      )
      select overlay(id::text placing '000000000000' from 25)::uuid, module, target_kind, target_type_code,
        ${stepped.id}::uuid, action_code, actor_user_id
      from core_audit.audit_events
      where target_id = ${later.id}::uuid`),
  )
  await office.follow()
  expect(await newsOf(clara, later)).toHaveLength(1)
  expect(await newsOf(clara, stepped)).toHaveLength(1)
})

test('ten workers at once, after one that ended before its commit, notify each follower once', async () => {
  const invoice = await followed(clara)
  await office.act(carl, invoice)
  endsBeforeCommit = true
  await expect(office.follow()).rejects.toThrow('the process ended')
  endsBeforeCommit = false
  expect(await newsOf(clara, invoice)).toEqual([])
  await Promise.all(Array.from({ length: 10 }, () => office.follow()))
  expect(await newsOf(clara, invoice)).toHaveLength(1)
})

test('while one worker handles events, the others neither wait for it nor handle them', async () => {
  const invoice = await followed(clara)
  await office.act(carl, invoice)
  const held = await holdTransaction(office.database, takePosition)
  for (let cycle = 0; cycle < 3; cycle += 1) await office.followOnce()
  expect(await newsOf(clara, invoice)).toEqual([])
  await held.commit()
  await office.follow()
  expect(await newsOf(clara, invoice)).toHaveLength(1)
})

test('the number of statements depends neither on the number of events nor on that of followers', async () => {
  const few = await followed(clara)
  await office.act(carl, few)
  const count = await mostStatements()
  const many = await Promise.all(Array.from({ length: 10 }, () => office.addInvoice()))
  const people = await Promise.all(Array.from({ length: 10 }, () => addPerson(office, ['trade.clerk'])))
  for (const invoice of many) await Promise.all(people.map((person) => put(person, invoice)))
  for (const invoice of many) for (const person of [carl, clara]) await office.act(person, invoice)
  expect(await mostStatements()).toBe(count)
  for (const person of people)
    expect(await newsOf(person, many[9] as BusinessObjectReference)).toHaveLength(2)
})

test('after a time without followers, the events of that time are not read', async () => {
  await office.database.statement((tx) => tx.execute(sql`delete from work_center.watches`))
  await office.database.statement((tx) =>
    tx.execute(sql`update work_center.watch_position set last_event_id = ${idAt(0)}::uuid`),
  )
  const invoice = await followed(clara)
  await office.act(carl, invoice)
  const [hourAgo] = await office.database.read((db) =>
    db.execute<{ id: string }>(sql`
      select ${firstEventIdAt(sql`statement_timestamp() - interval '1 hour'`)} as id`),
  )
  const from = await office.database.transaction(takePosition)
  expect((from ?? '') > (hourAgo?.id ?? 'f')).toBe(true)
  await office.follow()
  expect(await newsOf(clara, invoice)).toHaveLength(1)
})

test('without news, a cycle needs one statement', async () => {
  await followed(clara)
  await office.follow()
  record.reset()
  await office.followOnce()
  expect(record.count).toBe(1)
})

test('an object that cannot be described delays the followers of others, but does not stop them', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const [damaged, fine] = [await followed(carl), await followed(carl)]
  await office.follow()
  office.breakDescription(damaged)
  for (let count = 0; count < 3; count += 1) await office.act(clara, damaged)
  await office.act(clara, fine)
  const isFailing = () =>
    office.followOnce().then(
      () => false,
      () => true,
    )
  // The batches become smaller, until the event fails alone.
  await expect.poll(isFailing).toBe(true)
  for (let attempt = 0; attempt < 12; attempt += 1) expect(await isFailing()).toBe(true)
  vi.advanceTimersByTime(120_000)
  expect(await isFailing()).toBe(true)
  await office.follow()
  expect(await newsOf(carl, fine)).toHaveLength(1)
  expect(await newsOf(carl, damaged)).toEqual([])
  // Later, the object has another chance.
  office.repairDescription(damaged)
  vi.advanceTimersByTime(600_000)
  await office.act(clara, damaged)
  await office.follow()
  expect(await newsOf(carl, damaged)).toHaveLength(1)
})
