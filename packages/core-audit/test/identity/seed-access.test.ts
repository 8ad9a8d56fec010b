import type { Role, User, UserPage } from '@vertical-kit/core-audit/contract'
import type { AccessSeed } from '@vertical-kit/core-audit/identity'
import { untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { administratorRoleCode, json, seedAccess, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const seed = (access: AccessSeed) => seedAccess(host, access)
const get = async <T>(path: string) => json<T>(await host.root('GET', `/api/security${path}`))
const findRole = async (code: string) => {
  const role = (await get<Role[]>('/roles')).find((candidate) => candidate.code === code)
  if (role === undefined) throw new Error(`The role ${code} does not exist`)
  return role
}
const findUser = async (subject: string) => {
  const user = (await get<UserPage>('/users?limit=100')).items.find(
    (candidate) => candidate.subject === subject,
  )
  if (user === undefined) throw new Error(`The user ${subject} does not exist`)
  return user
}
const codesOf = (user: User) => user.roles.map((role) => role.code)

const clerk = { code: 'clerk', name: 'Clerk', description: 'Sells.', permissions: ['system.roles.view'] }
const ada = { subject: 'ada', displayName: 'Ada', email: 'ada@example.com', roleCodes: ['clerk'] }

test('a seed creates roles and users, and its audit events have no actor', async () => {
  await seed({
    roles: [clerk, { code: administratorRoleCode, name: 'Administrator' }],
    users: [
      ada,
      { subject: 'bob', displayName: 'Bob', isActive: false, roleCodes: [] },
      { subject: 'eve', displayName: 'Eve', roleCodes: [administratorRoleCode, 'clerk'] },
    ],
  })
  const role = await findRole('clerk')
  expect(role).toMatchObject({ ...clerk, isActive: true, isProtected: false, assignedUserCount: 2 })
  expect(await findRole(administratorRoleCode)).toMatchObject({ isProtected: true })
  expect(await findUser('ada')).toMatchObject({
    email: 'ada@example.com',
    displayName: 'Ada',
    isActive: true,
  })
  expect(codesOf(await findUser('ada'))).toEqual(['clerk'])
  expect(await findUser('bob')).toMatchObject({ email: null, isActive: false, roles: [] })
  expect(codesOf(await findUser('eve'))).toEqual(['clerk', administratorRoleCode])
  expect(await host.eventsOf(role.id)).toMatchObject([{ action_code: 'roles.created', actor_user_id: null }])
  expect(await host.eventsOf((await findUser('ada')).id)).toMatchObject([
    {
      action_code: 'users.roles_changed',
      actor_user_id: null,
      correlation_id: null,
      changes: [{ fieldPath: 'roles', oldValue: [], newValue: ['clerk'] }],
    },
  ])
})

test('a repeated seed changes nothing', async () => {
  const access = {
    roles: [{ ...clerk, code: 'again' }],
    users: [{ ...ada, subject: 'again', roleCodes: ['again'] }],
  }
  await seed(access)
  const [role, user] = [await findRole('again'), await findUser('again')]
  await seed(access)
  expect(await findRole('again')).toEqual(role)
  expect(await findUser('again')).toEqual(user)
  expect(await host.eventsOf(role.id)).toHaveLength(1)
  expect(await host.eventsOf(user.id)).toHaveLength(1)
})

test('a seed updates records that no person has changed', async () => {
  const first = { ...clerk, code: 'followed' }
  const user = { ...ada, subject: 'follower', roleCodes: ['followed'] }
  await seed({ roles: [first], users: [user] })
  const next = { ...first, name: 'Seller', permissions: ['system.users.view', 'catalog.trade.item.view'] }
  await seed({
    roles: [next, { ...clerk, code: 'further' }],
    users: [{ ...user, displayName: 'Somebody', roleCodes: ['further'] }],
  })
  const role = await findRole('followed')
  expect(role).toMatchObject({ name: 'Seller', permissions: next.permissions.toSorted() })
  expect((await host.eventsOf(role.id)).slice(1)).toMatchObject([
    { action_code: 'roles.updated', changes: [{ fieldPath: 'name' }] },
    { action_code: 'roles.permissions_changed', changes: [{ fieldPath: 'permissions' }] },
  ])
  expect(await findUser('follower')).toMatchObject({ displayName: 'Ada' })
  expect(codesOf(await findUser('follower'))).toEqual(['followed', 'further'])
})

test('a seed does not change a role that a person has changed', async () => {
  const role = { ...clerk, code: 'edited' }
  await seed({ roles: [role] })
  const { id } = await findRole('edited')
  await json(await host.root('PUT', `/api/security/roles/${id}/permissions`, { body: { permissions: [] } }))
  const edited = await findRole('edited')
  await seed({ roles: [{ ...role, name: 'Other' }] })
  expect(await findRole('edited')).toEqual(edited)
})

test('a seed does not change a role that a person has created', async () => {
  const made = await host.makeRole('hand-made')
  await seed({ roles: [{ ...clerk, code: 'hand-made' }] })
  expect(await findRole('hand-made')).toEqual(made)
})

test('a seed neither restores removed roles nor reactivates users', async () => {
  const access = {
    roles: [clerk],
    users: [
      { ...ada, subject: 'demoted' },
      { ...ada, subject: 'dismissed' },
    ],
  }
  await seed(access)
  const [demoted, dismissed] = [await findUser('demoted'), await findUser('dismissed')]
  await json(await host.root('PUT', `/api/security/users/${demoted.id}/roles`, { body: { roleIds: [] } }))
  await json(await host.root('POST', `/api/security/users/${dismissed.id}/deactivate`))
  await seed(access)
  expect(await findUser('demoted')).toMatchObject({ roles: [] })
  expect(await findUser('dismissed')).toMatchObject({ isActive: false })
})

test('a seed assigns its roles to a user that already exists', async () => {
  const request = await host.as({ subject: 'early', roles: ['platform-admin'] })
  await json(await request('POST', '/api/security/roles', { body: { code: 'by-early', name: 'Role' } }))
  await seed({ roles: [clerk], users: [{ ...ada, subject: 'early' }] })
  expect(codesOf(await findUser('early'))).toEqual(['clerk'])
})

test('hosts that start concurrently create everything once, regardless of the order of their seeds', async () => {
  const codes = Array.from({ length: 12 }, (_, index) => `rush.${String.fromCharCode(97 + index)}`)
  const inOrder = (ordered: readonly string[]): AccessSeed => ({
    roles: ordered.map((code) => ({ ...clerk, code })),
    users: ordered.map((subject) => ({ ...ada, subject, roleCodes: codes })),
  })
  await Promise.all(
    Array.from({ length: 6 }, (_, host) => seed(inOrder(host % 2 === 0 ? codes : codes.toReversed()))),
  )
  for (const code of codes) {
    const user = await findUser(code)
    expect(codesOf(user)).toEqual(codes)
    expect(await host.eventsOf(user.id)).toHaveLength(1)
    expect(await host.eventsOf((await findRole(code)).id)).toHaveLength(1)
  }
})

test('a seed that names an existing role for the first time causes no deadlock with a change of roles', async () => {
  const role = await host.makeRole('adopted')
  const { id } = await host.makeUser('adopter')
  const { request, start } = await host.database.transaction(async (tx) => {
    await tx.execute(sql`select from core_audit.users where id = ${id}::uuid for no key update`)
    const request = host.root('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [role.id] } })
    await untilBlocked(host.database)
    const start = seed({
      roles: [{ ...clerk, code: 'adopted' }],
      users: [{ ...ada, subject: 'adopter', roleCodes: ['adopted'] }],
    })
    await untilBlocked(host.database, 2)
    return { request, start }
  })
  expect((await request).status).toBe(200)
  await start
  expect(codesOf(await findUser('adopter'))).toEqual(['adopted'])
})

test('a seed with malformed or repeated records creates nothing and reports every problem', async () => {
  const bob = { subject: 'malformed-bob', displayName: 'Bob', email: 'bob', roleCodes: [] }
  await expect(
    seed({ roles: [{ code: 'Sales Clerk', name: ' ' }, clerk, clerk], users: [bob, bob] }),
  ).rejects.toThrow(
    new TypeError(
      'The access seed does not fit:\n' +
        'role Sales Clerk: code: expected lower-case letters and digits, in parts joined by one dot, hyphen or underscore\n' +
        'role Sales Clerk: name: expected more than white space\n' +
        'user malformed-bob: email: expected an e-mail address\n' +
        'role clerk is listed twice\n' +
        'user malformed-bob is listed twice',
    ),
  )
})

test('a seed with an unknown permission or role creates nothing and reports every problem', async () => {
  await expect(
    seed({
      roles: [{ ...clerk, code: 'wrong', permissions: ['system.roles.veiw', 'system.roles.view', 'x'] }],
    }),
  ).rejects.toThrow(
    new TypeError(
      'The access seed does not fit:\n' +
        'role wrong: no package registers the permission system.roles.veiw\n' +
        'role wrong: no package registers the permission x',
    ),
  )
  await expect(
    seed({
      roles: [{ ...clerk, code: 'wrong' }],
      users: [{ ...ada, subject: 'wrong', roleCodes: ['wrong', 'nope'] }],
    }),
  ).rejects.toThrow('user wrong: the role nope does not exist')
  await expect(findRole('wrong')).rejects.toThrow()
  await expect(findUser('wrong')).rejects.toThrow()
})
