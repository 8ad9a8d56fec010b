import type { User, UserPage } from '@vertical-kit/core-audit/contract'
import { expect, test } from 'vitest'
import { json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const send = (method: string, path: string, body?: object) =>
  host.root(method, `/api/security/users${path}`, body === undefined ? {} : { body })
const find = async (id: string) => json<User>(await send('GET', `/${id}`))
const setRoles = (id: string, roles: readonly { id: string }[]) =>
  send('PUT', `/${id}/roles`, { roleIds: roles.map((role) => role.id) })
const list = async (query: string) => json<UserPage>(await send('GET', `?${query}`))
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a user is shown with all roles, including inactive roles, sorted by code', async () => {
  const [b, a] = [await host.makeRole('shown.b'), await host.makeRole('shown.a', ['system.roles.view'])]
  await host.root('POST', `/api/security/roles/${a.id}/deactivate`)
  const { id } = await host.makeUser('shown', [a, b])
  expect(await find(id)).toEqual({
    id,
    subject: 'shown',
    email: 'shown@example.com',
    displayName: 'shown',
    isActive: true,
    roles: [
      { id: a.id, code: 'shown.a', name: 'shown.a' },
      { id: b.id, code: 'shown.b', name: 'shown.b' },
    ],
    createdAtUtc: instant,
    updatedAtUtc: instant,
  })
})

test('one request replaces all roles of a user, and the audit event contains the codes of both lists', async () => {
  const [a, b, c] = [await host.makeRole('set.a'), await host.makeRole('set.b'), await host.makeRole('set.c')]
  const { id } = await host.makeUser('set', [a, b])
  const before = await find(id)
  const after = await json<User>(await setRoles(id, [c, b, c]))
  expect(after.roles.map(({ code }) => code)).toEqual(['set.b', 'set.c'])
  expect(after).toEqual(await find(id))
  expect(after.updatedAtUtc > before.updatedAtUtc).toBe(true)
  expect((await host.eventsOf(id)).at(-1)).toMatchObject({
    module: 'core-audit',
    target_kind: 'User',
    target_type_code: 'system.user',
    action_code: 'users.roles_changed',
    actor_user_id: host.rootId,
    changes: [{ fieldPath: 'roles', oldValue: ['set.a', 'set.b'], newValue: ['set.b', 'set.c'] }],
  })
  expect(await json<User>(await setRoles(id, []))).toMatchObject({ roles: [] })
})

test('a second deactivation or reactivation writes no audit event, and the user keeps all roles', async () => {
  const role = await host.makeRole('kept')
  const { id } = await host.makeUser('switched', [role])
  const before = (await host.eventsOf(id)).length
  for (const isActive of [false, false, true, true]) {
    const changed = await json<User>(await send('POST', `/${id}/${isActive ? 'reactivate' : 'deactivate'}`))
    expect(changed).toMatchObject({ id, isActive, roles: [{ id: role.id }] })
  }
  const change = (oldValue: boolean) => [{ fieldPath: 'isActive', oldValue, newValue: !oldValue }]
  expect((await host.eventsOf(id)).slice(before)).toMatchObject([
    { action_code: 'users.deactivated', actor_user_id: host.rootId, changes: change(true) },
    { action_code: 'users.reactivated', actor_user_id: host.rootId, changes: change(false) },
  ])
})

test('a change without differences writes nothing', async () => {
  const [a, b] = [await host.makeRole('same.a'), await host.makeRole('same.b')]
  const { id } = await host.makeUser('same', [a, b])
  const [before, events] = [await find(id), await host.eventsOf(id)]
  expect(await json<User>(await setRoles(id, [b, a, b]))).toEqual(before)
  expect(await host.eventsOf(id)).toEqual(events)
})

test('unknown roles are reported by their positions, and no role is assigned', async () => {
  const role = await host.makeRole('real')
  const { id } = await host.makeUser('refused')
  const missing = { id: '019a0000-0000-7000-8000-000000000000' }
  expect(await problem(await setRoles(id, [missing, role, { id }]))).toMatchObject({
    status: 400,
    code: 'request.invalid',
    errors: [
      { path: 'roleIds.0', message: 'is not a role' },
      { path: 'roleIds.2', message: 'is not a role' },
    ],
  })
  expect(await find(id)).toMatchObject({ roles: [] })
})

test('a role id in upper case is accepted', async () => {
  const role = await host.makeRole('upper')
  const { id } = await host.makeUser('upper')
  const after = await json<User>(await setRoles(id, [{ id: role.id.toUpperCase() }]))
  expect(after.roles).toMatchObject([{ id: role.id }])
})

test.each([
  ['roleIds', {}],
  ['roleIds', { roleIds: null }],
  ['roleIds', { roleIds: 'trade.clerk' }],
  ['roleIds.0', { roleIds: ['trade.clerk'] }],
  ['roleIds.1', { roleIds: ['019a0000-0000-7000-8000-000000000000', null] }],
])('the error names %s if the roles are not a list of ids', async (path, body) => {
  const response = await send('PUT', `/${host.rootId}/roles`, body)
  expect(await problem(response)).toMatchObject({ status: 400, code: 'request.invalid', errors: [{ path }] })
})

test('more than 500 roles for a user are rejected', async () => {
  const roleIds = Array.from({ length: 501 }, () => '019a0000-0000-7000-8000-000000000000')
  const response = await send('PUT', `/${host.rootId}/roles`, { roleIds })
  expect(await problem(response)).toMatchObject({ code: 'request.invalid', errors: [{ path: 'roleIds' }] })
})

test('the pages of the list together contain every user once, newest first', async () => {
  for (let user = 0; user < 5; user += 1) await host.makeUser(`paged-${user}`)
  const whole = await list('limit=100')
  expect(whole.nextCursor).toBeNull()
  const ids = whole.items.map((user) => user.id)
  expect(ids).toEqual(ids.toSorted().toReversed())

  const seen: User[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: UserPage = await list(`limit=2${cursor && `&cursor=${cursor.toUpperCase()}`}`)
    expect(page.items.length).toBeLessThanOrEqual(2)
    seen.push(...page.items)
    cursor = page.nextCursor
    // A user that is created between two pages is newer than the first page, so this user does not affect later pages.
    if (seen.length === 2) await host.makeUser('late')
  }
  expect(seen).toEqual(whole.items)
})

test('a page that ends with the last user has no cursor', async () => {
  const { items } = await list('limit=100')
  const page = await list(`limit=${items.length}`)
  expect(page.items).toHaveLength(items.length)
  expect(page.nextCursor).toBeNull()
})

test('a page has 50 users by default', async () => {
  for (let user = 0; user < 51; user += 1) {
    await host.as({ subject: `many-${user}`, permissions: [] })
  }
  expect((await list('')).items).toHaveLength(50)
})

test('active and inactive users can be listed separately', async () => {
  const { id } = await host.makeUser('inactive')
  await send('POST', `/${id}/deactivate`)
  expect((await list('isActive=false')).items.map((user) => user.id)).toEqual([id])
  const { items } = await list('isActive=true&limit=100')
  expect(items.every((user) => user.isActive)).toBe(true)
  expect(items.length).toBeGreaterThan(1)
})

test.each(['limit=0', 'limit=101', 'limit=ten', 'cursor=next', 'isActive=yes', 'isActive=TRUE'])(
  'the query %s is rejected',
  async (query) => {
    const [path] = query.split('=')
    const response = await send('GET', `?${query}`)
    expect(await problem(response)).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path }],
    })
  },
)
