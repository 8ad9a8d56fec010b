import type { MeAccess, Permission } from '@vertical-kit/core-audit/contract'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { administratorRoleCode, everyPermission, json, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const access = async (request: TestRequest) => json<MeAccess>(await request('GET', '/api/security/me/access'))

test('a new caller has the profile of the token and no rights', async () => {
  const request = await host.as({ subject: 'new', name: 'New Person', email: 'new@example.com' })
  expect(await access(request)).toEqual({
    userId: expect.stringMatching(/^[\da-f-]{36}$/),
    subject: 'new',
    email: 'new@example.com',
    displayName: 'New Person',
    isActive: true,
    isAdministrator: false,
    roles: [],
    permissions: [],
  })
})

test('a caller has the permissions of all active roles, sorted, without duplicates', async () => {
  const sales = await host.makeRole('sales', ['system.roles.view', 'document.trade.sales_order.view'])
  const items = await host.makeRole('items', ['system.roles.view', 'catalog.trade.item.view'])
  const off = await host.makeRole('off', ['system.users.view'])
  await host.root('POST', `/api/security/roles/${off.id}/deactivate`)
  const { request, id } = await host.makeUser('clerk', [sales, items, off])
  expect(await access(request)).toMatchObject({
    userId: id,
    isAdministrator: false,
    roles: [
      { id: items.id, code: 'items', name: 'items', source: 'assigned' },
      { id: sales.id, code: 'sales', name: 'sales', source: 'assigned' },
    ],
    permissions: ['catalog.trade.item.view', 'document.trade.sales_order.view', 'system.roles.view'],
  })
})

test('a role without permissions grants nothing, even together with another role', async () => {
  const empty = await host.makeRole('empty')
  const { request, id } = await host.makeUser('empty', [empty])
  expect(await access(request)).toMatchObject({ roles: [{ code: 'empty' }], permissions: [] })
  const other = await host.makeRole('other', ['system.roles.view'])
  await host.root('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [empty.id, other.id] } })
  expect((await access(request)).permissions).toEqual(['system.roles.view'])
})

test('the identity provider’s administrator has every registered permission, with or without roles', async () => {
  const request = await host.as({ subject: 'boss', roles: ['platform-admin'] })
  expect(await access(request)).toMatchObject({
    isAdministrator: true,
    roles: [],
    permissions: everyPermission,
  })
  expect(await access(host.root)).toMatchObject({ isAdministrator: true, permissions: everyPermission })
})

test('a user with an administrator role has every registered permission', async () => {
  const role = await host.makeRole(administratorRoleCode)
  const { request } = await host.makeUser('manager', [role])
  expect(await access(request)).toMatchObject({
    isAdministrator: true,
    roles: [{ code: administratorRoleCode }],
    permissions: everyPermission,
  })
})

test.each(['Platform-Admin', 'platform-admin ', administratorRoleCode])(
  'the role %j of the identity provider grants no administrator rights',
  async (role) => {
    const request = await host.as({ subject: `would-be-${role}`, roles: [role] })
    expect(await access(request)).toMatchObject({ isAdministrator: false, permissions: [] })
  },
)

test('a role with the name but not the code of an administrator role grants only its own permissions', async () => {
  const response = await host.root('POST', '/api/security/roles', {
    body: { code: 'trade.administrators', name: administratorRoleCode, permissions: ['system.roles.view'] },
  })
  const { request } = await host.makeUser('pretender', [await json(response)])
  expect(await access(request)).toMatchObject({ isAdministrator: false, permissions: ['system.roles.view'] })
})

test('the list of permissions contains all permissions of the modules, sorted', async () => {
  const listed = await json<Permission[]>(await host.root('GET', '/api/security/permissions'))
  expect(listed.map(({ permission }) => permission)).toEqual(everyPermission)
  expect(listed[0]).toEqual({
    permission: 'catalog.trade.item.view',
    displayName: 'Name of catalog.trade.item.view',
    group: 'Trade',
    description: 'Description of catalog.trade.item.view',
  })
})
