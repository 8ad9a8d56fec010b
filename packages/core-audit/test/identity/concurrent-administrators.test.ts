import type { Role, User, UserPage } from '@vertical-kit/core-audit/contract'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { administratorRoleCode, json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()
const view = 'system.roles.view'

const setPermissions = (
  id: string,
  permissions: readonly string[],
  expectedPermissions?: readonly string[],
) => host.root('PUT', `/api/security/roles/${id}/permissions`, { body: { permissions, expectedPermissions } })

test('of 30 administrators who change a role that they saw in the same state, one succeeds', async () => {
  const role = await host.makeRole('contested', [view])
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      setPermissions(role.id, [index % 2 === 0 ? 'system.users.view' : 'system.users.manage'], [view]),
    ),
  )
  const refused = responses.filter(({ status }) => status !== 200)
  // Those who ask for what the first one wrote succeed too.
  expect(refused).toHaveLength(15)
  for (const response of refused) {
    expect(await problem(response)).toMatchObject({ status: 409, code: 'roles.version_conflict' })
  }
  expect(
    (await host.eventsOf(role.id)).filter((event) => event.action_code.endsWith('_changed')),
  ).toHaveLength(1)
})

test('a repeated change with expected values succeeds and writes one event', async () => {
  const { id, ...role } = await host.makeRole('repeated', [view])
  const body = { permissions: [], expectedPermissions: [view] }
  const expected = { code: role.code, name: role.name, description: role.description }
  const texts = { ...expected, code: 'repeated.too', expected }
  for (const [path, sent] of [
    [`/api/security/roles/${id}/permissions`, body],
    [`/api/security/roles/${id}`, texts],
  ] as const) {
    const first = await json<Role>(await host.root('PUT', path, { body: sent }))
    expect(await json<Role>(await host.root('PUT', path, { body: sent }))).toEqual(first)
  }
  expect((await host.eventsOf(id)).map((event) => event.action_code)).toEqual([
    'roles.created',
    'roles.permissions_changed',
    'roles.updated',
  ])
})

test('expected permissions are compared without order and duplicates, and are optional', async () => {
  const role = await host.makeRole('compared', [view, 'system.users.view'])
  expect((await setPermissions(role.id, [view], ['system.users.view', view, view])).status).toBe(200)
  expect((await json<Role>(await setPermissions(role.id, []))).permissions).toEqual([])
})

test('of 30 administrators who change the roles of a user that they saw in the same state, one succeeds', async () => {
  const [one, two] = [
    await host.makeRole('assigned-one', [view]),
    await host.makeRole('assigned-two', [view]),
  ]
  const user = await json<User>(
    await host.root('POST', '/api/security/users', {
      body: { subject: 'contested', email: null, displayName: 'Contested', roleIds: [one.id] },
    }),
  )
  const setRoles = (roleIds: readonly string[], expectedRoleIds?: readonly string[]) =>
    host.root('PUT', `/api/security/users/${user.id}/roles`, { body: { roleIds, expectedRoleIds } })
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => setRoles(index % 2 === 0 ? [] : [one.id, two.id], [one.id])),
  )
  const refused = responses.filter(({ status }) => status !== 200)
  // Those who ask for what the first one wrote succeed too.
  expect(refused).toHaveLength(15)
  for (const response of refused) {
    expect(await problem(response)).toMatchObject({ status: 409, code: 'users.version_conflict' })
  }
  expect(
    (await host.eventsOf(user.id)).filter((event) => event.action_code === 'users.roles_changed'),
  ).toHaveLength(1)
  expect((await setRoles([two.id])).status).toBe(200)
})

test('a manager who has not seen the administrator role of a user receives a conflict, and no other change is saved', async () => {
  const [seen, administrator] = [
    await host.makeRole('seen-by-manager', [view]),
    await host.makeRole(administratorRoleCode),
  ]
  const managing = await host.makeRole('manages-users', ['system.users.manage', 'system.users.view'])
  const { request: manager } = await host.makeUser('manager-of-users', [managing])
  const { id } = await host.makeUser('promoted', [seen])
  const setRoles = (as: TestRequest, body: object) => as('PUT', `/api/security/users/${id}/roles`, { body })
  await json(await setRoles(host.root, { roleIds: [seen.id, administrator.id] }))
  expect(await problem(await setRoles(manager, { roleIds: [], expectedRoleIds: [seen.id] }))).toMatchObject({
    status: 409,
    code: 'users.version_conflict',
  })
  const expectedRoleIds = [seen.id, administrator.id]
  expect(await problem(await setRoles(manager, { roleIds: [], expectedRoleIds }))).toMatchObject({
    status: 403,
    code: 'permission.denied',
  })
  expect((await setRoles(manager, { roleIds: [administrator.id], expectedRoleIds })).status).toBe(200)
})

test('a search finds users by a part of their name, email address or subject, in any case', async () => {
  const find = async (q: string) => {
    const page = await json<UserPage>(
      await host.root('GET', `/api/security/users?q=${encodeURIComponent(q)}`),
    )
    return page.items.map(({ subject }) => subject)
  }
  const invite = (subject: string, email: string | null, displayName: string) =>
    host.root('POST', '/api/security/users', { body: { subject, email, displayName, roleIds: [] } })
  await invite('s-one', 'one@mail.example', 'Änne One')
  await invite('s-two', null, '100% Two')
  expect(await find('änne')).toEqual(['s-one'])
  expect(await find('@MAIL.')).toEqual(['s-one'])
  expect(await find('s-t')).toEqual(['s-two'])
  expect(await find('0%')).toEqual(['s-two'])
  expect(await find('%')).toEqual(['s-two'])
  expect(await find('nobody')).toEqual([])
  expect(await find('')).toContain('s-one')
  expect((await host.root('GET', `/api/security/users?q=${'x'.repeat(201)}`)).status).toBe(400)
})

test('a role keeps its code when an administrator saves texts that they saw before another one changed it', async () => {
  const { id, code, name, description } = await host.makeRole('renamed-meanwhile', [view])
  const path = `/api/security/roles/${id}`
  const expected = { code, name, description }
  const put = (texts: object) => host.root('PUT', path, { body: { ...expected, ...texts, expected } })
  expect((await put({ code: 'renamed-meanwhile.too' })).status).toBe(200)
  expect(await problem(await put({ description: 'Another text' }))).toMatchObject({
    ...{ status: 409, code: 'roles.version_conflict' },
  })
  expect(await json(await host.root('GET', path))).toMatchObject({
    code: 'renamed-meanwhile.too',
    description,
  })
})
