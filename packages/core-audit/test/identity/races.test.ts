import type { Role, User } from '@vertical-kit/core-audit/contract'
import { openTestHost, type TestRequest, untilBlocked } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import {
  administratorRoleCode,
  everyPermission,
  json,
  problem,
  userIdOf,
  useSecurityHost,
} from './harness.ts'

const host = useSecurityHost()

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const addRole = (request: TestRequest, code: string) =>
  request('POST', '/api/security/roles', { body: { code, name: code } })

test('when concurrent requests add roles with the same code, only one role is added', async () => {
  const responses = await Promise.all(many(12, () => addRole(host.root, 'contested')))
  const statuses = responses.map((response) => response.status)
  expect(statuses.toSorted()).toEqual([201, ...many(11, () => 409)])
  const winner = responses.find((response) => response.status === 201)
  expect(await host.eventsOf((await json<Role>(winner as Response)).id)).toHaveLength(1)
})

test('when roles concurrently change to the same code, only one change succeeds', async () => {
  const roles = await Promise.all(many(6, (index) => host.makeRole(`runner-${index}`)))
  const responses = await Promise.all(
    roles.map(({ id, name }) =>
      host.root('PUT', `/api/security/roles/${id}`, { body: { code: 'goal', name, description: '' } }),
    ),
  )
  expect(responses.map((response) => response.status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
})

test('concurrent deactivations of a user write one event', async () => {
  const { id } = await host.makeUser('deactivated')
  const before = (await host.eventsOf(id)).length
  const responses = await Promise.all(
    many(12, () => host.root('POST', `/api/security/users/${id}/deactivate`)),
  )
  for (const response of responses) expect(await json<User>(response)).toMatchObject({ isActive: false })
  expect((await host.eventsOf(id)).slice(before)).toMatchObject([{ action_code: 'users.deactivated' }])
})

/** Checks that each change starts from the result of the previous one, and that the last result is stored. */
async function expectChain(id: string, actionCode: string, last: readonly string[]): Promise<void> {
  const events = (await host.eventsOf(id)).filter((event) => event.action_code === actionCode)
  const [first] = events
  let value: unknown = first?.changes[0]?.oldValue
  for (const { changes } of events) {
    expect(changes[0]?.oldValue).toEqual(value)
    value = changes[0]?.newValue
  }
  expect(value).toEqual(last)
}

test('concurrent changes of permissions are applied one after the other, and each change writes an event', async () => {
  const role = await host.makeRole('fought-over')
  await Promise.all(
    many(14, (index) =>
      host.root('PUT', `/api/security/roles/${role.id}/permissions`, {
        body: { permissions: [everyPermission[index % 7]] },
      }),
    ),
  )
  const { permissions } = await json<Role>(await host.root('GET', `/api/security/roles/${role.id}`))
  expect(permissions).toHaveLength(1)
  await expectChain(role.id, 'roles.permissions_changed', permissions)
})

test('concurrent changes of roles are applied one after the other, and each change writes an event', async () => {
  const roles = await Promise.all(many(4, (index) => host.makeRole(`hat-${index}`)))
  const { id } = await host.makeUser('hatter')
  await Promise.all(
    many(12, (index) =>
      host.root('PUT', `/api/security/users/${id}/roles`, {
        body: { roleIds: [roles[index % 4]?.id, roles[(index * 3 + 1) % 4]?.id] },
      }),
    ),
  )
  const user = await json<User>(await host.root('GET', `/api/security/users/${id}`))
  await expectChain(
    id,
    'users.roles_changed',
    user.roles.map((role) => role.code),
  )
})

test('two users can deactivate each other concurrently without a deadlock', async () => {
  const role = await host.makeRole('officer', ['system.users.manage'])
  const [one, other] = [await host.makeUser('one', [role]), await host.makeUser('other', [role])]
  for (let round = 0; round < 10; round += 1) {
    // In every second round, both have a new name, which is stored with their change.
    const name = `Round ${round - (round % 2)}`
    const [asOne, asOther] = [
      await host.as({ subject: 'one', name }),
      await host.as({ subject: 'other', name }),
    ]
    const responses = await Promise.all([
      asOne('POST', `/api/security/users/${other.id}/deactivate`),
      asOther('POST', `/api/security/users/${one.id}/deactivate`),
    ])
    const statuses = responses.map((response) => response.status).toSorted()
    expect([
      [200, 200],
      [200, 403],
    ]).toContainEqual(statuses)
    for (const { id } of [one, other])
      await json(await host.root('POST', `/api/security/users/${id}/reactivate`))
  }
})

test('the first change of a caller needs only one connection', async () => {
  const narrow = await openTestHost({
    databaseUrl: host.databaseUrl,
    modules: () => [],
    database: { poolMax: 1, poolWaitMs: 10_000 },
  })
  const request = await narrow.as({ subject: 'narrow', roles: ['platform-admin'] })
  const responses = await Promise.all(many(4, (index) => addRole(request, `narrow-${index}`)))
  expect(responses.map((response) => response.status)).toEqual([201, 201, 201, 201])
  await narrow.close()
})

/** Sends a request that waits for a locked row, revokes a right of its caller, then releases the row. */
async function revokeWhileWaiting(
  lock: SQL,
  request: () => Promise<Response>,
  revocation: SQL,
): Promise<Response> {
  const { answer } = await host.database.transaction(async (tx) => {
    await tx.execute(lock)
    const answer = request()
    await untilBlocked(host.database)
    await tx.execute(revocation)
    // Return the promise in an object: otherwise the transaction would wait for the request, which waits for the
    // transaction.
    return { answer }
  })
  return answer
}

const lockOfUser = (id: string) => sql`select from core_audit.users where id = ${id}::uuid for no key update`

test('a change is refused if the caller loses the permission while the change waits for a row', async () => {
  const role = await host.makeRole('fading', ['system.users.manage'])
  const { request, id } = await host.makeUser('fading', [role])
  const response = await revokeWhileWaiting(
    lockOfUser(id),
    () => request('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [role.id] } }),
    sql`delete from core_audit.user_roles where user_id = ${id}::uuid`,
  )
  expect(await problem(response)).toMatchObject({ status: 403, code: 'permission.denied' })
  expect(await json(await host.root('GET', `/api/security/users/${id}`))).toMatchObject({ roles: [] })
})

test('a change is refused if the caller is deactivated while the change waits for a row', async () => {
  const officer = await host.makeUser('leaving', [await host.makeRole('leaving', ['system.roles.manage'])])
  const role = await host.makeRole('coveted')
  const response = await revokeWhileWaiting(
    sql`select from core_audit.roles where id = ${role.id}::uuid for no key update`,
    () =>
      officer.request('PUT', `/api/security/roles/${role.id}/permissions`, {
        body: { permissions: everyPermission },
      }),
    sql`update core_audit.users set is_active = false where id = ${officer.id}::uuid`,
  )
  expect(await problem(response)).toMatchObject({ status: 403, code: 'auth.inactive' })
  expect(await json(await host.root('GET', `/api/security/roles/${role.id}`))).toEqual(role)
})

test('a caller that loses the administrator role while waiting for a row cannot assign this role', async () => {
  const administrator = await host.makeRole(administratorRoleCode)
  const officer = await host.makeRole('only-officer', ['system.users.manage'])
  const manager = await host.makeUser('falling', [administrator, officer])
  const { id } = await host.makeUser('candidate')
  const response = await revokeWhileWaiting(
    lockOfUser(id),
    () =>
      manager.request('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [administrator.id] } }),
    sql`
      delete from core_audit.user_roles
      where user_id = ${manager.id}::uuid and role_id = ${administrator.id}::uuid`,
  )
  expect(await problem(response)).toMatchObject({ status: 403, code: 'permission.denied' })
})

test('a deactivation is refused if the user becomes an administrator while it waits for the row', async () => {
  const roles = await json<Role[]>(await host.root('GET', '/api/security/roles'))
  const administrator = roles.find((role) => role.code === administratorRoleCode)
  const officer = await host.as({ subject: 'officer', permissions: ['system.users.manage'] })
  expect(await userIdOf(officer)).not.toBeNull()
  const { id } = await host.makeUser('promoted')
  const response = await revokeWhileWaiting(
    lockOfUser(id),
    () => officer('POST', `/api/security/users/${id}/deactivate`),
    sql`
      insert into core_audit.user_roles (user_id, role_id)
      values (${id}::uuid, ${administrator?.id ?? ''}::uuid)`,
  )
  expect(await problem(response)).toMatchObject({ status: 403, code: 'permission.denied' })
})

/** Changes the code of this role, so that the code is free after the commit. */
const freeCode = (code: string) =>
  sql`update core_audit.roles set code = ${`${code}.before`} where code = ${code}`

test.each<[change: string, send: (request: TestRequest, role: Role) => Promise<Response>]>([
  ['new', (request) => addRole(request, 'new.wanted')],
  [
    'renamed',
    (request, { id }) =>
      request('PUT', `/api/security/roles/${id}`, {
        body: { code: 'renamed.wanted', name: 'Role', description: '' },
      }),
  ],
])(
  'a %s role is refused if the caller loses the permission while the change waits for the code',
  async (change, send) => {
    await host.makeRole(`${change}.wanted`)
    const { request, id } = await host.makeUser(change, [
      await host.makeRole(`${change}.officer`, ['system.roles.manage']),
    ])
    const role = await host.makeRole(`${change}.role`)
    const response = await revokeWhileWaiting(
      freeCode(`${change}.wanted`),
      () => send(request, role),
      sql`delete from core_audit.user_roles where user_id = ${id}::uuid`,
    )
    expect(await problem(response)).toMatchObject({ status: 403, code: 'permission.denied' })
    const roles = await json<Role[]>(await host.root('GET', '/api/security/roles'))
    expect(roles.map(({ code }) => code)).not.toContain(`${change}.wanted`)
    expect(roles).toContainEqual(role)
  },
)
