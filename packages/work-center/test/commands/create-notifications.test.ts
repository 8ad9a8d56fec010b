import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CreateNotification, createNotifications } from '../../src/commands/create-notifications.ts'
import { raiseVersions } from '../../src/commands/raise-versions.ts'
import { defineNotification, type NotificationDefinition } from '../../src/definitions/definition.ts'
import { digest, settled, writtenOff } from '../definitions.ts'
import { administratorRoleCodes, clear, config, type Desk, entryUsers, openDesk } from '../desk.ts'
import { sourceOf, versions } from '../items.ts'
import { addUser } from '../people.ts'

let desk: Desk
let database: Database
const users: Record<string, string> = {}
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  for (const [name, roles] of Object.entries({
    clerk: ['trade.clerk'],
    both: ['trade.clerk', 'trade.auditor'],
    auditor: ['trade.auditor'],
    manager: ['trade.manager'],
  })) {
    users[name] = await addUser(database, name, roles)
  }
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const idsOf = (...names: readonly string[]) => names.map((name) => users[name]).toSorted()
const create = (
  definition: NotificationDefinition,
  ...notifications: readonly Partial<CreateNotification>[]
) =>
  database.transaction(async (tx) => {
    const changes = await createNotifications(
      tx,
      { definition, retentionMs: config.notificationRetentionMs },
      (notifications.length === 0 ? [{}] : notifications).map((notification) => ({
        ...{ deduplicationKey: 'SI-1', title: 'Settled', source: sourceOf() },
        ...notification,
      })),
    )
    return raiseVersions(tx, administratorRoleCodes, changes)
  })
const prefer = (name: string, code: string, isEnabled: boolean) =>
  database.statement((tx) =>
    tx.execute(sql`
      insert into work_center.preferences (user_id, code, channel, is_enabled)
      values (${users[name]}::uuid, ${code}, 'InApp', ${isEnabled})`),
  )

describe('a notification reaches', () => {
  test('each user with one of its definition’s roles once, and raises their version by one', async () => {
    const raised = await create(settled)
    expect([...raised.keys()].toSorted()).toEqual(idsOf('clerk', 'both', 'auditor'))
    expect(await entryUsers(database)).toEqual(idsOf('clerk', 'both', 'auditor'))
    expect(await versions(database)).toEqual(raised)
    expect(new Set(raised.values())).toEqual(new Set([1]))
  })

  test.each<[string, CreateNotification['to'], readonly string[]]>([
    ['the addressed role', { roleCodes: ['trade.clerk'] }, ['clerk', 'both']],
    ['one of two addressed roles', { roleCodes: ['trade.manager', 'trade.auditor'] }, ['auditor', 'both']],
    ['a role outside the definition', { roleCodes: ['trade.manager'] }, []],
  ])('only the recipients of its definition that belong to %s', async (_audience, to, names) => {
    await create(settled, to === undefined ? {} : { to })
    expect(await entryUsers(database)).toEqual(idsOf(...names))
  })

  test('only those addressed users that have a role of its definition', async () => {
    const userIds = idsOf('clerk', 'manager') as string[]
    await create(settled, { to: { userIds } })
    expect(await entryUsers(database)).toEqual(idsOf('clerk'))
  })

  test('users that have it switched on, and all users if it is mandatory', async () => {
    await prefer('clerk', settled.code, false)
    await prefer('clerk', writtenOff.code, false)
    await create(settled)
    expect(await entryUsers(database)).toEqual(idsOf('auditor', 'both'))
    await clear(database)
    await prefer('clerk', writtenOff.code, false)
    await create(writtenOff)
    expect(await entryUsers(database)).toEqual(idsOf('auditor', 'both', 'clerk'))
  })

  test('only users that have switched it on if it is off by default', async () => {
    expect(await create(digest)).toEqual(new Map())
    const [none] = await database.read((db) =>
      db.execute(sql`select count(*)::int from work_center.notifications`),
    )
    expect(none).toEqual({ count: 0 })
    await prefer('manager', digest.code, true)
    await create(digest)
    expect(await entryUsers(database)).toEqual(idsOf('manager'))
  })
})

test('each of several notifications reaches its own recipients, and each version grows by one', async () => {
  await create(settled, { deduplicationKey: 'stored' })
  const raised = await create(
    settled,
    { deduplicationKey: 'all' },
    { deduplicationKey: 'clerks', to: { roleCodes: ['trade.clerk'] } },
    { deduplicationKey: 'auditor', to: { userIds: idsOf('auditor', 'manager') as string[] } },
    { deduplicationKey: 'no recipients', to: { userIds: [] } },
    { deduplicationKey: 'stored' },
  )
  expect(new Set(raised.values())).toEqual(new Set([2]))
  const rows = await database.read((db) =>
    db.execute(sql`
      select n.deduplication_key as key, jsonb_agg(e.user_id order by e.user_id) as users
      from work_center.notifications n
      join work_center.entries e on e.item_id = n.id
      group by n.deduplication_key
      order by n.deduplication_key`),
  )
  const allUsers = idsOf('clerk', 'both', 'auditor')
  expect([...rows]).toEqual([
    { key: 'all', users: allUsers },
    { key: 'auditor', users: idsOf('auditor') },
    { key: 'clerks', users: idsOf('clerk', 'both') },
    { key: 'stored', users: allUsers },
  ])
})

test('a notification with a stored deduplication key notifies no user', async () => {
  await create(settled)
  const before = await versions(database)
  expect(await create(settled, { title: 'Another' })).toEqual(new Map())
  expect(await versions(database)).toEqual(before)
  expect((await create(settled, { deduplicationKey: 'SI-2' })).size).toBe(3)
})

test('a notification raises no version for users without permission to view its source', async () => {
  expect(
    (await create(settled, { source: sourceOf('trade.sales_order') })).has(users['auditor'] as string),
  ).toBe(false)
})

test.each<[string, NotificationDefinition, number]>([
  ['the retention of the deployment', settled, config.notificationRetentionMs],
  ['the retention of its definition', defineNotification({ ...settled, retentionMs: 3_600_000 }), 3_600_000],
])('after %s, a notification has its next change: it expires', async (_retention, definition, ms) => {
  await create(definition)
  const rows = await database.read((db) =>
    db.execute<Record<string, unknown>>(sql`
      select distinct round(extract(epoch from n.expires_at - n.created_at) * 1000)::float8 as ms, n.severity,
        e.changes_at = n.expires_at and e.expires_at = n.expires_at and e.sort_at = n.created_at as is_copied
      from work_center.entries e join work_center.notifications n on n.id = e.item_id`),
  )
  expect([...rows]).toEqual([{ ms: expect.closeTo(ms, -2), severity: 'Success', is_copied: true }])
})
