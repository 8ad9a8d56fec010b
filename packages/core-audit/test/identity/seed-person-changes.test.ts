import type { AccessSeed } from '@vertical-kit/core-audit/identity'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { runSql } from '../harness.ts'
import { json, seedAccess, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const seed = (access: AccessSeed) => seedAccess(host, access)
const send = async (method: string, path: string, body?: object) =>
  json(await host.root(method, `/api/security${path}`, body === undefined ? {} : { body }))

const clerk = (code: string) => ({ code, name: 'Clerk', permissions: ['system.roles.view'] })
/** The role in a later release, which differs in its name and permissions. */
const seller = (code: string) => ({ code, name: 'Seller', permissions: ['system.users.view'] })
const ada = (subject: string, ...roleCodes: readonly string[]) => ({ subject, displayName: 'Ada', roleCodes })

const rows = <T extends Record<string, unknown>>(query: SQL) =>
  host.database.read((db) => db.execute<T>(query))
const roleOf = async (code: string) => {
  const [role] = await rows<{ id: string; name: string; permissions: string[]; is_active: boolean }>(sql`
    select id, name, permissions, is_active from core_audit.roles where code = ${code}`)
  if (role === undefined) throw new Error(`The role ${code} does not exist`)
  return role
}
const userOf = async (subject: string) => {
  const [user] = await rows<{ id: string; codes: string[] }>(sql`
    select u.id, array(
      select r.code
      from core_audit.user_roles ur
      join core_audit.roles r on r.id = ur.role_id
      where ur.user_id = u.id
      order by r.code
    ) as codes
    from core_audit.users u
    where u.subject = ${subject}`)
  if (user === undefined) throw new Error(`The user ${subject} does not exist`)
  return user
}

/** Removes all audit events. `audit drop` removes the events of one year in the same way. */
const dropEvents = () =>
  runSql(
    host.databaseUrl,
    `do $$
     declare
       partition text;
     begin
       for partition in select name from core_audit.audit_partitions() loop
         execute format('alter table core_audit.audit_events detach partition core_audit.%I', partition);
         execute format('drop table core_audit.%I', partition);
       end loop;
     end
     $$;
     select core_audit.create_audit_partitions()`,
  )

test.each<[title: string, change: (path: string, code: string) => Promise<unknown>]>([
  ['has renamed', (path, code) => send('PUT', path, { code, name: 'Other', description: '' })],
  ['has changed the permissions of', (path) => send('PUT', `${path}/permissions`, { permissions: [] })],
  ['has deactivated', (path) => send('POST', `${path}/deactivate`)],
])('a seed does not change a role that a person %s, even without the audit event', async (title, change) => {
  const code = title.replaceAll(' ', '.')
  await seed({ roles: [clerk(code)] })
  await change(`/roles/${(await roleOf(code)).id}`, code)
  const changed = await roleOf(code)
  await dropEvents()
  await seed({ roles: [seller(code)] })
  expect(await roleOf(code)).toEqual(changed)
})

test('a seed does not change a role that a person has reactivated, even without the audit event', async () => {
  await seed({ roles: [clerk('switched.on')] })
  const role = await roleOf('switched.on')
  await host.database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set is_active = false where id = ${role.id}::uuid`),
  )
  await send('POST', `/roles/${role.id}/reactivate`)
  await dropEvents()
  await seed({ roles: [seller('switched.on')] })
  expect(await roleOf('switched.on')).toEqual(role)
})

test('a seed does not change a role that a person has created, even without the audit event', async () => {
  await host.makeRole('hand.made')
  const made = await roleOf('hand.made')
  await dropEvents()
  await seed({ roles: [seller('hand.made')] })
  expect(await roleOf('hand.made')).toEqual(made)
})

test.each<[title: string, change: (path: string) => Promise<unknown>]>([
  ['has changed the roles of', (path) => send('PUT', `${path}/roles`, { roleIds: [] })],
  ['has deactivated', (path) => send('POST', `${path}/deactivate`)],
])(
  'a seed assigns no roles to a user that a person %s, even without the audit event',
  async (title, change) => {
    const roles = [clerk('first'), clerk('second')]
    await seed({ roles, users: [ada(title, 'first')] })
    await change(`/users/${(await userOf(title)).id}`)
    const changed = await userOf(title)
    await dropEvents()
    await seed({ roles, users: [ada(title, 'first', 'second')] })
    expect(await userOf(title)).toEqual(changed)
  },
)

test('a seed assigns no roles to a user that a person has reactivated, even without the audit event', async () => {
  const roles = [clerk('first')]
  await seed({ roles, users: [{ ...ada('returned'), isActive: false }] })
  const { id } = await userOf('returned')
  await send('POST', `/users/${id}/reactivate`)
  await dropEvents()
  await seed({ roles, users: [ada('returned', 'first')] })
  expect(await userOf('returned')).toEqual({ id, codes: [] })
})

test('a seed assigns no roles to a user that a person has invited, even without the audit event', async () => {
  const invitation = { subject: 'invited', email: null, displayName: 'Ivy', roleIds: [] }
  await send('POST', '/users', invitation)
  const invited = await userOf('invited')
  await dropEvents()
  await seed({ roles: [clerk('first')], users: [ada('invited', 'first')] })
  expect(await userOf('invited')).toEqual(invited)
})

test('a seed neither creates a renamed role again nor assigns another one, even without the audit event', async () => {
  const access = { roles: [clerk('cashier')], users: [ada('teller', 'cashier')] }
  await seed(access)
  const [role, user] = [await roleOf('cashier'), await userOf('teller')]
  await send('PUT', `/roles/${role.id}`, { code: 'till', name: 'Till', description: '' })
  await send('PUT', `/roles/${role.id}/permissions`, { permissions: [] })
  await dropEvents()
  await seed(access)
  await seed({ roles: [seller('cashier')], users: [ada('teller', 'cashier'), ada('starter', 'cashier')] })
  await expect(roleOf('cashier')).rejects.toThrow()
  expect(await roleOf('till')).toEqual({ id: role.id, name: 'Till', permissions: [], is_active: true })
  expect(await userOf('teller')).toEqual({ id: user.id, codes: ['till'] })
  expect(await userOf('starter')).toMatchObject({ codes: ['till'] })
  expect(await host.eventsOf(role.id)).toEqual([])
  expect(await host.eventsOf(user.id)).toEqual([])
})

test('a new role with the code of a renamed one is not the role of the seed', async () => {
  const access = { roles: [clerk('porter')], users: [ada('carrier', 'porter')] }
  await seed(access)
  await send('PUT', `/roles/${(await roleOf('porter')).id}`, {
    code: 'mover',
    name: 'Mover',
    description: '',
  })
  const made = await host.makeRole('porter')
  await seed(access)
  expect(await roleOf('porter')).toMatchObject({ id: made.id, permissions: [] })
  expect(await userOf('carrier')).toMatchObject({ codes: ['mover'] })
})

test('a seed whose user names a renamed role of a person succeeds', async () => {
  const { id } = await host.makeRole('driver')
  const access = { users: [ada('fred', 'driver')] }
  await seed(access)
  await send('PUT', `/roles/${id}`, { code: 'chauffeur', name: 'Chauffeur', description: '' })
  await seed(access)
  expect(await userOf('fred')).toMatchObject({ codes: ['chauffeur'] })
})

test('a substitution does not count as a change of the user', async () => {
  const roles = [clerk('first'), clerk('second')]
  await seed({ roles, users: [ada('represented', 'first')] })
  const { id } = await userOf('represented')
  await host.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events (module, target_kind, target_type_code, target_id, action_code, actor_user_id)
      values ('core-audit', 'User', 'system.user', ${id}::uuid, 'users.substitution_set', ${host.rootId}::uuid)`),
  )
  await seed({ roles, users: [ada('represented', 'second')] })
  expect(await userOf('represented')).toEqual({ id, codes: ['first', 'second'] })
})

test('a change by a host of an older release counts, also after its audit event was dropped', async () => {
  const access = { roles: [clerk('old')], users: [ada('old', 'old')] }
  await seed(access)
  const [role, user] = [await roleOf('old'), await userOf('old')]
  await send('PUT', `/roles/${role.id}/permissions`, { permissions: [] })
  await send('PUT', `/users/${user.id}/roles`, { roleIds: [] })
  // An older release writes the events, but does not set the columns.
  await host.database.transaction(async (tx) => {
    await tx.execute(
      sql`update core_audit.roles set is_changed_by_person = false where id = ${role.id}::uuid`,
    )
    await tx.execute(
      sql`update core_audit.users set is_changed_by_person = false where id = ${user.id}::uuid`,
    )
  })
  await seed(access)
  await dropEvents()
  await seed(access)
  expect(await roleOf('old')).toEqual({ ...role, permissions: [] })
  expect(await userOf('old')).toEqual({ ...user, codes: [] })
})

/** Starts a change by a person and then a seed. Both wait for the row, and the change gets it first. */
async function seedBehind(
  change: { readonly lock: SQL; readonly send: () => Promise<unknown> },
  access: AccessSeed,
) {
  const held = await holdTransaction(host.database, (tx) => tx.execute(change.lock))
  const changing = change.send()
  await untilBlocked(host.database, 1)
  const seeding = seed(access)
  await untilBlocked(host.database, 2)
  await held.commit()
  await Promise.all([changing, seeding])
}

test('a seed that waits for a change of permissions does not restore them', async () => {
  const roles = [clerk('raced')]
  await seed({ roles })
  const { id } = await roleOf('raced')
  await seedBehind(
    {
      lock: sql`select from core_audit.roles where id = ${id}::uuid for no key update`,
      send: () => send('PUT', `/roles/${id}/permissions`, { permissions: [] }),
    },
    { roles },
  )
  expect(await roleOf('raced')).toMatchObject({ permissions: [] })
})

test('a seed that waits for a change of a user’s roles does not restore them', async () => {
  const access = { roles: [clerk('lost')], users: [ada('raced', 'lost')] }
  await seed(access)
  const { id } = await userOf('raced')
  await seedBehind(
    {
      lock: sql`select from core_audit.users where id = ${id}::uuid for no key update`,
      send: () => send('PUT', `/users/${id}/roles`, { roleIds: [] }),
    },
    access,
  )
  expect(await userOf('raced')).toEqual({ id, codes: [] })
})
