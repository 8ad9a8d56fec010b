import type { Role } from '@vertical-kit/core-audit/contract'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const send = (method: string, path: string, body?: object) =>
  host.root(method, `/api/security/roles${path}`, body === undefined ? {} : { body })
const find = async (id: string) => json<Role>(await send('GET', `/${id}`))
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const id = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/)

test('the request that adds a role returns the stored role', async () => {
  const response = await send('POST', '', {
    code: 'trade.clerk',
    name: '  Clerk ',
    description: ' Sells. ',
    permissions: ['document.trade.sales_order.view', 'catalog.trade.item.view', 'catalog.trade.item.view'],
  })
  expect(response.status).toBe(201)
  const role = await json<Role>(response)
  expect(role).toEqual({
    id,
    code: 'trade.clerk',
    name: 'Clerk',
    description: 'Sells.',
    isActive: true,
    isProtected: false,
    hasFullAccess: false,
    permissions: ['catalog.trade.item.view', 'document.trade.sales_order.view'],
    assignedUserCount: 0,
    createdAtUtc: instant,
    updatedAtUtc: instant,
  })
  expect(await find(role.id)).toEqual(role)
  expect(await host.eventsOf(role.id)).toEqual([
    {
      module: 'core-audit',
      target_kind: 'Role',
      target_type_code: 'system.role',
      action_code: 'roles.created',
      actor_user_id: host.rootId,
      correlation_id: response.headers.get('X-Request-Id'),
      changes: [
        { fieldPath: 'code', oldValue: null, newValue: 'trade.clerk' },
        { fieldPath: 'name', oldValue: null, newValue: 'Clerk' },
        { fieldPath: 'description', oldValue: null, newValue: 'Sells.' },
        {
          fieldPath: 'permissions',
          oldValue: null,
          newValue: ['catalog.trade.item.view', 'document.trade.sales_order.view'],
        },
      ],
    },
  ])
})

test('roles are listed with the number of their users, sorted by code', async () => {
  const [b, a] = [await host.makeRole('list.b'), await host.makeRole('list.a')]
  await host.makeUser('one', [a, b])
  const other = await host.makeUser('other', [a])
  await host.root('POST', `/api/security/users/${other.id}/deactivate`)
  const roles = await json<Role[]>(await send('GET', ''))
  const listed = roles.filter(({ code }) => code.startsWith('list.'))
  expect(listed.map(({ code, assignedUserCount }) => [code, assignedUserCount])).toEqual([
    ['list.a', 2],
    ['list.b', 1],
  ])
  expect(listed[0]).toEqual(await find(a.id))
})

test('two roles cannot have the same code', async () => {
  const first = await host.makeRole('taken.first')
  const second = await host.makeRole('taken.second')
  const taken = { status: 409, code: 'roles.code_taken', context: { code: 'taken.first' } }
  const words = { code: 'taken.first', name: 'Role', description: '' }
  expect(await problem(await send('POST', '', words))).toMatchObject(taken)
  expect(await problem(await send('PUT', `/${second.id}`, words))).toMatchObject(taken)
  expect(await find(second.id)).toEqual(second)
  await send('POST', `/${first.id}/deactivate`)
  expect(await problem(await send('POST', '', words))).toMatchObject(taken)
  expect(await host.eventsOf(second.id)).toHaveLength(1)
})

test('one request changes code, name and description, and the audit event contains the differences', async () => {
  const role = await host.makeRole('renamed', ['system.roles.view'])
  const response = await send('PUT', `/${role.id}`, { code: 'renamed.too', name: 'Renamed', description: '' })
  const changed = await json<Role>(response)
  expect(changed).toEqual({ ...role, code: 'renamed.too', name: 'Renamed', updatedAtUtc: instant })
  expect(changed.updatedAtUtc > role.updatedAtUtc).toBe(true)
  expect((await host.eventsOf(role.id)).slice(1)).toMatchObject([
    {
      action_code: 'roles.updated',
      actor_user_id: host.rootId,
      changes: [
        { fieldPath: 'code', oldValue: 'renamed', newValue: 'renamed.too' },
        { fieldPath: 'name', oldValue: 'renamed', newValue: 'Renamed' },
      ],
    },
  ])
})

test('one request replaces all permissions, and the audit event contains the old and the new list', async () => {
  const role = await host.makeRole('regranted', ['system.roles.view'])
  const permissions = ['system.users.view', 'catalog.trade.item.view']
  const changed = await json<Role>(await send('PUT', `/${role.id}/permissions`, { permissions }))
  expect(changed.permissions).toEqual(permissions.toSorted())
  expect((await host.eventsOf(role.id)).slice(1)).toMatchObject([
    {
      action_code: 'roles.permissions_changed',
      actor_user_id: host.rootId,
      changes: [
        {
          fieldPath: 'permissions',
          oldValue: ['system.roles.view'],
          newValue: ['catalog.trade.item.view', 'system.users.view'],
        },
      ],
    },
  ])
})

test('switching a role off or on a second time writes no audit event', async () => {
  const role = await host.makeRole('switched')
  for (const isActive of [false, false, true, true]) {
    const path = `/${role.id}/${isActive ? 'reactivate' : 'deactivate'}`
    expect(await json<Role>(await send('POST', path))).toMatchObject({ id: role.id, isActive })
  }
  const change = (oldValue: boolean) => [{ fieldPath: 'isActive', oldValue, newValue: !oldValue }]
  expect((await host.eventsOf(role.id)).slice(1)).toMatchObject([
    { action_code: 'roles.deactivated', actor_user_id: host.rootId, changes: change(true) },
    { action_code: 'roles.reactivated', actor_user_id: host.rootId, changes: change(false) },
  ])
})

test('a change without differences writes nothing', async () => {
  const role = await host.makeRole('steady', ['system.roles.view', 'system.users.view'])
  const { code, name, description } = role
  const permissions = ['system.users.view', 'system.roles.view', 'system.users.view']
  for (const response of [
    await send('PUT', `/${role.id}`, { code, name: ` ${name} `, description }),
    await send('PUT', `/${role.id}/permissions`, { permissions }),
    await send('POST', `/${role.id}/reactivate`),
  ]) {
    expect(await json<Role>(response)).toEqual(role)
  }
  expect(await host.eventsOf(role.id)).toHaveLength(1)
})

test('unregistered permissions are reported by their positions, without their text', async () => {
  const role = await host.makeRole('misspelt')
  const permissions = ['system.roles.view', 'system.roles.veiw', 'system.users.view', 'x\0\ud800', '']
  const errors = [1, 3, 4].map((index) => ({
    path: `permissions.${index}`,
    message: 'is not a registered permission',
  }))
  for (const response of [
    await send('PUT', `/${role.id}/permissions`, { permissions }),
    await send('POST', '', { code: 'misspelt.too', name: 'Role', permissions }),
  ]) {
    expect(await problem(response)).toMatchObject({ status: 400, code: 'request.invalid', errors })
  }
  expect(await find(role.id)).toEqual(role)
})

test('a permission of a missing package can be kept and removed, but not granted again', async () => {
  const role = await host.makeRole('leftover')
  const gone = 'system.notes.read'
  await host.database.statement((tx) =>
    tx.execute(
      sql`update core_audit.roles set permissions = ${sql.param([gone])}::text[] where id = ${role.id}`,
    ),
  )
  const grant = (permissions: readonly string[]) => send('PUT', `/${role.id}/permissions`, { permissions })
  expect(
    await json<Role>(await grant([...(await find(role.id)).permissions, 'system.roles.view'])),
  ).toMatchObject({ permissions: [gone, 'system.roles.view'] })
  expect(await json<Role>(await grant(['system.roles.view']))).toMatchObject({
    permissions: ['system.roles.view'],
  })
  expect(await problem(await grant([gone]))).toMatchObject({ code: 'request.invalid' })
})

const words = { code: 'words', name: 'Words', description: '' }

test.each([
  ['an empty code', 'code', ''],
  ['a code in capitals', 'code', 'Trade'],
  ['a code with two dots in a row', 'code', 'trade..clerk'],
  ['a code that ends with a dot', 'code', 'trade.'],
  ['a code that starts with a blank', 'code', ' trade'],
  ['a code of two words', 'code', 'trade clerk'],
  ['a code with an umlaut', 'code', 'träger'],
  ['a code that ends with a line break', 'code', 'trade\n'],
  ['a code of 101 characters', 'code', 'x'.repeat(101)],
  ['a code that is a number', 'code', 7],
  ['no code', 'code', undefined],
  ['a blank name', 'name', ' \u00a0\n'],
  ['an invisible name', 'name', '\u3164\ufe0f'],
  ['a name with a line break', 'name', 'A\r\nB'],
  ['a name of 201 characters', 'name', 'x'.repeat(201)],
  ['a name with U+0000', 'name', 'a\0b'],
  ['a name with half a surrogate pair', 'name', '\ud800'],
  ['a name that is null', 'name', null],
  ['a description of 2,001 characters', 'description', '😀'.repeat(2_001)],
  ['a description with U+0000', 'description', 'a\0b'],
  ['a description that is null', 'description', null],
])('a role with %s is rejected', async (_, path, value) => {
  for (const response of [
    await send('POST', '', { ...words, [path]: value }),
    await send('PUT', `/${host.rootId}`, { ...words, [path]: value }),
  ]) {
    const { code, errors } = await problem(response)
    expect(code).toBe('request.invalid')
    expect(new Set(errors?.map((error) => error.path))).toEqual(new Set([path]))
  }
})

test.each([
  ['a word', 'permissions', 'system.roles.view'],
  ['a list of numbers', 'permissions.0', [7]],
  ['a list of 2,001 permissions', 'permissions', Array.from({ length: 2_001 }, () => 'system.roles.view')],
])('%s is rejected as the permissions of a role', async (_, path, permissions) => {
  for (const response of [
    await send('PUT', `/${host.rootId}/permissions`, { permissions }),
    await send('POST', '', { ...words, permissions }),
  ]) {
    expect(await problem(response)).toMatchObject({ code: 'request.invalid', errors: [{ path }] })
  }
})

test('a role accepts texts of the maximum length, counted in code points', async () => {
  const body = {
    code: `${'x'.repeat(98)}.y`,
    name: '😀'.repeat(200),
    description: '😀'.repeat(2_000),
  }
  expect(await json<Role>(await send('POST', '', body))).toMatchObject(body)
})
