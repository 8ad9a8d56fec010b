import { AccessChangedData } from '@vertical-kit/core-audit/identity'
import { onWake } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seedAccess } from '../../src/identity/commands/seed-access.ts'
import { administratorRoleCode, everyPermission, useSecurityHost } from './harness.ts'

const host = useSecurityHost()
/** The number of events that other transactions could read, for each time the consumers woke. */
const counts: Promise<number>[] = []
beforeAll(() => onWake(host.outbox, () => void counts.push(published().then(({ length }) => length))))
beforeEach(() => forget())

const forget = () => host.database.statement((tx) => tx.execute(sql`delete from core_audit.outbox_events`))

type Published = { readonly subject: string; readonly actor_user_id: string | null; readonly data: unknown }

/** Returns the events that were appended since the test began. */
const published = (): Promise<readonly Published[]> =>
  host.database.read((db) =>
    db.execute<Published>(sql`
      select subject, actor_user_id, data
      from core_audit.outbox_events
      where type = 'security.access.changed'
      order by position`),
  )
const send = (method: string, path: string, body?: object) =>
  host.root(method, `/api/security${path}`, body === undefined ? {} : { body })
const ofRole = (roleId: string) => ({
  subject: `security/role/${roleId}`,
  actor_user_id: host.rootId,
  data: { roleId },
})
const ofUser = (userId: string) => ({
  subject: `security/user/${userId}`,
  actor_user_id: host.rootId,
  data: { userId },
})

describe('events of changed access', () => {
  test('each change of a role’s access writes one event', async () => {
    const { id } = await host.makeRole('told.role')
    const body = { permissions: ['catalog.trade.item.view'] }
    for (let repeat = 0; repeat < 2; repeat += 1) await send('PUT', `/roles/${id}/permissions`, body)
    expect(await published()).toEqual([ofRole(id)])
    for (let repeat = 0; repeat < 2; repeat += 1) await send('POST', `/roles/${id}/deactivate`)
    await send('POST', `/roles/${id}/reactivate`)
    expect(await published()).toEqual([ofRole(id), ofRole(id), ofRole(id)])
    for (const { data } of await published()) expect(v.is(AccessChangedData, data)).toBe(true)
  })

  test('a change of a role’s code writes one event, because modules find its users by the code', async () => {
    const { id } = await host.makeRole('told.code')
    const texts = { name: 'Told', description: '' }
    await send('PUT', `/roles/${id}`, { ...texts, code: 'told.code' })
    expect(await published()).toEqual([])
    for (let repeat = 0; repeat < 2; repeat += 1)
      await send('PUT', `/roles/${id}`, { ...texts, code: 'told.other_code' })
    expect(await published()).toEqual([ofRole(id)])
  })

  test('each change of a user’s access writes one event', async () => {
    const role = await host.makeRole('told.user')
    const { id } = await host.makeUser('told')
    await forget()
    for (let repeat = 0; repeat < 2; repeat += 1) {
      await send('PUT', `/users/${id}/roles`, { roleIds: [role.id] })
    }
    expect(await published()).toEqual([ofUser(id)])
    for (let repeat = 0; repeat < 2; repeat += 1) await send('POST', `/users/${id}/deactivate`)
    await send('POST', `/users/${id}/reactivate`)
    expect(await published()).toEqual([ofUser(id), ofUser(id), ofUser(id)])
  })

  test('seeds write events without an actor', async () => {
    const rules = { administratorRoleCodes: new Set([administratorRoleCode]), permissions: everyPermission }
    const seed = (permissions: readonly string[]) =>
      host.database.transaction((tx) =>
        seedAccess(tx, rules, {
          roles: [{ code: 'seeded', name: 'Seeded', permissions }],
          users: [{ subject: 'seeded', displayName: 'Seeded', roleCodes: ['seeded'] }],
        }),
      )
    await seed([])
    const [given, ...others] = await published()
    expect(given).toMatchObject({ actor_user_id: null, data: { userId: expect.any(String) } })
    expect(others).toEqual([])
    await seed(['catalog.trade.item.view'])
    await seed(['catalog.trade.item.view'])
    const [, granted, ...more] = await published()
    expect(granted).toMatchObject({ actor_user_id: null, data: { roleId: expect.any(String) } })
    expect(more).toEqual([])
  })
})

test('consumers wake after the commit of an access change, but not after a rejected request', async () => {
  const { id } = await host.makeRole('rung')
  const user = await host.makeUser('rung')
  await forget()
  counts.length = 0
  await send('PUT', `/roles/${id}/permissions`, { permissions: ['no.such.permission'] })
  await send('POST', `/roles/${crypto.randomUUID()}/deactivate`)
  await send('PUT', `/roles/${id}`, { code: 'rung', name: 'Rung', description: '' })
  expect(counts).toEqual([])
  const changes: readonly [method: string, path: string, body?: object][] = [
    ['PUT', `/roles/${id}/permissions`, { permissions: ['catalog.trade.item.view'] }],
    ['POST', `/roles/${id}/deactivate`],
    ['PUT', `/users/${user.id}/roles`, { roleIds: [id] }],
    ['POST', `/users/${user.id}/deactivate`],
  ]
  for (const [index, change] of changes.entries()) {
    await send(...change)
    expect(await Promise.all(counts)).toEqual([1, 2, 3, 4].slice(0, index + 1))
  }
})

test('new names, new roles and rejected changes write no event', async () => {
  const { id } = await host.makeRole('quiet')
  await send('PUT', `/roles/${id}`, { code: 'quiet', name: 'Quieter', description: '' })
  expect(
    (await send('PUT', `/roles/${id}/permissions`, { permissions: ['no.such.permission'] })).status,
  ).toBe(400)
  expect(await published()).toEqual([])
})

test('the view of assignments includes inactive users and roles', async () => {
  const role = await host.makeRole('assigned')
  const { id } = await host.makeUser('assigned', [role])
  await send('POST', `/roles/${role.id}/deactivate`)
  await send('POST', `/users/${id}/deactivate`)
  const rows = await host.database.read((db) =>
    db.execute(sql`select user_id, role_id from core_audit.role_assignments where user_id = ${id}::uuid`),
  )
  expect([...rows]).toEqual([{ user_id: id, role_id: role.id }])
})
