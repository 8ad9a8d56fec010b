import type { MeAccess, User } from '@vertical-kit/core-audit/contract'
import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorRoleCode, everyPermission, json, problem, useSecurityHost } from './harness.ts'
import { tokenHost } from './token-hosts.ts'

const host = useSecurityHost()
let issuer: TestIssuer
let mapped: ReturnType<typeof tokenHost>

beforeAll(async () => {
  issuer = await startTestIssuer()
  const roleMap = new Map([
    ['Sales Clerks', 'clerk'],
    ['/trade/sellers', 'clerk'],
    ['auditors', 'auditor'],
    ['bosses', administratorRoleCode],
    ['ghosts', 'ghost'],
    ['retired', 'off'],
  ])
  mapped = tokenHost(host, { ...issuer.oidc, roleMap })
  await host.makeRole('clerk', ['document.trade.sales_order.view', 'system.roles.view'])
  await host.makeRole('auditor', ['system.users.view'])
  await host.makeRole(administratorRoleCode)
  const off = await host.makeRole('off', ['system.users.manage'])
  await host.root('POST', `/api/security/roles/${off.id}/deactivate`)
})
afterAll(() => issuer.close())

const accessOf = async (subject: string, ...groups: readonly string[]) =>
  json<MeAccess>(await mapped.request(await issuer.token({ subject, roles: groups })))
const roleCodesOf = ({ roles }: MeAccess) => roles.map(({ code, source }) => `${code} ${source}`)
const storedRoleCount = async () => {
  const [row] = await host.database.read((db) =>
    db.execute<{ count: number }>(sql`select count(*)::int as count from core_audit.user_roles`),
  )
  return row?.count
}

test('groups grant their roles from the first request of a new user on, and nothing is stored', async () => {
  const before = await storedRoleCount()
  const first = await accessOf('newcomer', 'Sales Clerks', '/trade/sellers', 'auditors')
  expect(roleCodesOf(first)).toEqual(['auditor token', 'clerk token'])
  expect(first.permissions).toEqual([
    'document.trade.sales_order.view',
    'system.roles.view',
    'system.users.view',
  ])
  expect(roleCodesOf(await accessOf('newcomer', 'auditors'))).toEqual(['auditor token'])
  expect(roleCodesOf(await accessOf('newcomer'))).toEqual([])
  expect(await storedRoleCount()).toBe(before)
  const user = await json<User>(await host.root('GET', `/api/security/users/${first.userId}`))
  expect(user.roles).toEqual([])
})

test.each(['unmapped', 'sales clerks', 'clerk', 'constructor', '__proto__', ''])(
  'the group %j grants nothing',
  async (group) => {
    expect(await accessOf('stranger', group)).toMatchObject({ roles: [], permissions: [] })
  },
)

test('assigned roles and roles of the token add up, and a role of both is shown once, as assigned', async () => {
  const clerk = (
    await json<{ id: string; code: string }[]>(await host.root('GET', '/api/security/roles'))
  ).find(({ code }) => code === 'clerk')
  const body = { subject: 'both', email: null, displayName: 'Both', roleIds: [clerk?.id] }
  await json(await host.root('POST', '/api/security/users', { body }))
  expect(roleCodesOf(await accessOf('both', 'auditors'))).toEqual(['auditor token', 'clerk assigned'])
  const access = await accessOf('both', 'Sales Clerks')
  expect(roleCodesOf(access)).toEqual(['clerk assigned'])
  expect(access.permissions).toEqual(['document.trade.sales_order.view', 'system.roles.view'])
})

test('a changed role applies to the next request of its groups', async () => {
  const role = await host.makeRole('changing', ['system.roles.view'])
  const { request } = tokenHost(host, { ...issuer.oidc, roleMap: new Map([['g', 'changing']]) })
  const token = await issuer.token({ subject: 'follower', roles: ['g'] })
  const permissions = async () => (await json<MeAccess>(await request(token))).permissions
  expect(await permissions()).toEqual(['system.roles.view'])
  await host.root('POST', `/api/security/roles/${role.id}/deactivate`)
  expect(await permissions()).toEqual([])
})

test('a group that is mapped to an administrator role grants every permission', async () => {
  expect(await accessOf('boss', 'bosses')).toMatchObject({
    isAdministrator: true,
    permissions: everyPermission,
  })
})

test('the groups of a deactivated user grant nothing', async () => {
  const { userId } = await accessOf('leaver', 'bosses')
  await json(await host.root('POST', `/api/security/users/${userId}/deactivate`))
  const response = await mapped.request(await issuer.token({ subject: 'leaver', roles: ['bosses'] }))
  expect(await problem(response)).toMatchObject({ code: 'auth.inactive' })
})

test('a code without an active role grants nothing and is logged once', async () => {
  for (const _ of [1, 2]) expect(await accessOf('haunted', 'ghosts', 'retired')).toMatchObject({ roles: [] })
  const logged = mapped.lines.map((line) => JSON.parse(line)).filter(({ roleCode }) => roleCode !== undefined)
  expect(logged).toMatchObject([
    { level: 'warn', roleCode: 'ghost' },
    { level: 'warn', roleCode: 'off' },
  ])
})

test('a user with a role of the token can change data, and the change names the user', async () => {
  await host.makeRole('maintainer', ['system.roles.manage'])
  const { request } = tokenHost(host, { ...issuer.oidc, roleMap: new Map([['makers', 'maintainer']]) })
  const token = await issuer.token({ subject: 'maker', name: 'Mary Maker', roles: ['makers'] })
  const body = JSON.stringify({ code: 'made', name: 'Made' })
  const role = await json<{ id: string }>(
    await request(token, '/api/security/roles', { method: 'POST', body }),
  )
  const { userId } = await json<MeAccess>(await request(token))
  expect(await host.eventsOf(role.id)).toMatchObject([{ actor_user_id: userId }])
})

test('a user cannot add the administrator role that the token of the user names', async () => {
  const rename = (from: string, to: string) =>
    host.database.statement((tx) =>
      tx.execute(sql`update core_audit.roles set code = ${to} where code = ${from}`),
    )
  await host.makeRole('manager', ['system.roles.manage'])
  const roleMap = new Map([
    ['managers', 'manager'],
    ['bosses', administratorRoleCode],
  ])
  const { request } = tokenHost(host, { ...issuer.oidc, roleMap })
  const token = await issuer.token({ subject: 'climber', roles: ['managers', 'bosses'] })
  await rename(administratorRoleCode, 'moved.away')
  const body = JSON.stringify({ code: administratorRoleCode, name: 'Boss' })
  const response = await request(token, '/api/security/roles', { method: 'POST', body })
  await rename('moved.away', administratorRoleCode)
  expect(await problem(response)).toMatchObject({ status: 409, code: 'roles.protected' })
})

test('a user can change the code of the role that grants this right through the token', async () => {
  const { id } = await host.makeRole('namer', ['system.roles.manage'])
  const { request } = tokenHost(host, { ...issuer.oidc, roleMap: new Map([['namers', 'namer']]) })
  const token = await issuer.token({ subject: 'namer', roles: ['namers'] })
  const body = JSON.stringify({ code: 'namer.renamed', name: 'Namer', description: '' })
  const response = await request(token, `/api/security/roles/${id}`, { method: 'PUT', body })
  expect(await json(response)).toMatchObject({ id, code: 'namer.renamed' })
})
