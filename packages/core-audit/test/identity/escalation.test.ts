import type { MeAccess, Role } from '@vertical-kit/core-audit/contract'
import { createIdentity } from '@vertical-kit/core-audit/identity'
import { openTestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { listRolesHolding } from '../../src/identity/queries/list-roles-holding.ts'
import { loadCallers, searchCallers } from '../../src/identity/queries/load-callers.ts'
import {
  administratorRoleCode,
  everyPermission,
  json,
  problem,
  type SecurityHost,
  trade,
  userIdOf,
  useSecurityHost,
} from './harness.ts'

const host = useSecurityHost()
/** An administrator role of the application, a user with this role, and a user with every permission. */
let administrator: Role
let manager: { request: TestRequest; id: string }
let officer: TestRequest

beforeAll(async () => {
  administrator = await host.makeRole(administratorRoleCode, ['system.roles.view'])
  manager = await host.makeUser('manager', [administrator])
  officer = await host.as({ subject: 'officer', permissions: everyPermission })
})

/** Reads the access of a user from a host of a later release, with one more administrator code. */
async function asLater({ databaseUrl }: SecurityHost, subject: string, code: string): Promise<Response> {
  const later = await openTestHost({
    ...{ databaseUrl, modules: () => [trade] },
    administratorRoleCodes: [administratorRoleCode, code],
  })
  onTestFinished(() => later.close())
  return (await later.as({ subject, permissions: [] }))('GET', '/api/security/me/access')
}

const forbidden = (permission: string) => ({
  status: 403,
  code: 'permission.denied',
  context: { permission },
})
const isProtected = { status: 409, code: 'roles.protected' }
const words = (role: { code: string }) => ({ code: role.code, name: 'Boss', description: 'All of it.' })
const findRole = async () => json<Role>(await host.root('GET', `/api/security/roles/${administrator.id}`))
const on = (path: string) => `/api/security/roles/${administrator.id}${path}`

test('an administrator role is shown as protected, with full access', async () => {
  expect(await findRole()).toMatchObject({
    code: administratorRoleCode,
    isProtected: true,
    hasFullAccess: true,
    isActive: true,
    permissions: everyPermission,
    assignedUserCount: 1,
  })
})

test('no caller can change the code, activity or permissions of an administrator role', async () => {
  for (const request of [host.root, manager.request, officer]) {
    for (const response of [
      await request('PUT', on(''), { body: words({ code: 'trade.boss' }) }),
      await request('PUT', on('/permissions'), { body: { permissions: [] } }),
      await request('PUT', on('/permissions'), { body: { permissions: everyPermission } }),
      await request('POST', on('/deactivate')),
      await request('POST', on('/reactivate')),
    ]) {
      expect(await problem(response)).toMatchObject(isProtected)
    }
  }
  expect(await host.eventsOf(administrator.id)).toHaveLength(1)
})

test('the name and description of an administrator role can be changed', async () => {
  const response = await officer('PUT', on(''), { body: words(administrator) })
  expect(await json<Role>(response)).toMatchObject({ ...words(administrator), isProtected: true })
})

test('an administrator role stores no permissions, so it grants none if its code is not registered', async () => {
  const [stored] = await host.database.read((db) =>
    db.execute<{ permissions: string[] }>(
      sql`select permissions from core_audit.roles where id = ${administrator.id}`,
    ),
  )
  expect(stored?.permissions).toEqual([])
})

test('only administrators can switch on an administrator role that was off when its code was registered', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set is_active = false where id = ${administrator.id}`),
  )
  expect(await problem(await officer('POST', on('/reactivate')))).toMatchObject(isProtected)
  expect(await json<Role>(await host.root('POST', on('/reactivate')))).toMatchObject({ isActive: true })
})

test('no role can change its code to the code of an administrator role', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set code = 'moved.away' where id = ${administrator.id}`),
  )
  const plain = await host.makeRole('plain')
  for (const request of [host.root, officer]) {
    const response = await request('PUT', `/api/security/roles/${plain.id}`, {
      body: words({ code: administratorRoleCode }),
    })
    expect(await problem(response)).toMatchObject(isProtected)
  }
  await host.database.statement((tx) =>
    tx.execute(
      sql`update core_audit.roles set code = ${administratorRoleCode} where id = ${administrator.id}`,
    ),
  )
})

test('only administrators can add an administrator role', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set code = 'moved.away' where id = ${administrator.id}`),
  )
  const add = (request: TestRequest) =>
    request('POST', '/api/security/roles', { body: { ...words({ code: administratorRoleCode }) } })
  expect(await problem(await add(officer))).toMatchObject(isProtected)
  const added = await json<Role>(await add(host.root))
  expect(added).toMatchObject({ isProtected: true, hasFullAccess: true })
  await host.database.transaction(async (tx) => {
    await tx.execute(sql`delete from core_audit.roles where id = ${added.id}`)
    await tx.execute(
      sql`update core_audit.roles set code = ${administratorRoleCode} where id = ${administrator.id}`,
    )
  })
})

test.each([
  [
    'created',
    async (code: string) =>
      json<Role>(await officer('POST', '/api/security/roles', { body: words({ code }) })),
  ],
  [
    'renamed',
    async (code: string) => {
      const { id } = await host.makeRole(`${code}.before`)
      return json<Role>(await officer('PUT', `/api/security/roles/${id}`, { body: words({ code }) }))
    },
  ],
])(
  'a role that another user has %s cannot become an administrator role with a later release',
  async (how, choose) => {
    const code = `crm.${how}`
    const later = createIdentity({
      ...{ database: host.database, outbox: host.outbox, modules: [trade] },
      administratorRoleCodes: [administratorRoleCode, code],
      tokens: { verify: () => Promise.reject(new Error('this host has no sign-in')) },
    })
    const start = () => host.database.read(async (db) => later.checkStart?.(db))
    const role = await choose(code)
    await expect(start()).rejects.toThrow(`grant everything to the users of ${code}`)
    // Neither other texts nor a deactivation change who has chosen the code.
    const path = `/api/security/roles/${role.id}`
    await json(await officer('PUT', path, { body: { ...words({ code }), name: 'Chief' } }))
    await json(await officer('POST', `${path}/deactivate`))
    await expect(start()).rejects.toThrow(code)
    await json(await officer('POST', `${path}/reactivate`))
    // A host of this release that has started before the role existed grants nothing, too.
    const { id } = await host.makeUser(`chief.${how}`, [role])
    const isAdministrator = async () => {
      const rights = { administratorRoleCodes: [code] }
      const [stored] = await host.database.read((db) => loadCallers(db, rights, [id]))
      const [found] = await host.database.read((db) =>
        searchCallers(db, rights, { text: `chief.${how}`, permission: 'none', limit: 1 }),
      )
      const holding = await host.database.read((db) => listRolesHolding(db, new Set([code]), ['none']))
      const requested = await json<MeAccess>(await asLater(host, `chief.${how}`, code))
      return [stored?.isAdministrator, found?.isAdministrator, holding.length > 0, requested.isAdministrator]
    }
    expect(await isAdministrator()).toEqual([false, false, false, false])
    // An administrator chooses the code.
    const rename = async (to: string) =>
      json(await host.root('PUT', `/api/security/roles/${role.id}`, { body: words({ code: to }) }))
    await rename(`${code}.old`)
    await start()
    await rename(code)
    await start()
    expect(await isAdministrator()).toEqual([true, true, true, true])
    await json(await officer('PUT', path, { body: { ...words({ code }), name: 'Boss of all' } }))
    await start()
  },
)

test('only administrators can assign or remove an administrator role', async () => {
  const { id } = await host.makeUser('candidate')
  const set = (request: TestRequest, user: string, roles: readonly Role[]) =>
    request('PUT', `/api/security/users/${user}/roles`, { body: { roleIds: roles.map((role) => role.id) } })
  const denied = forbidden('system.users.manage')
  expect(await problem(await set(officer, id, [administrator]))).toMatchObject(denied)
  expect(await problem(await set(officer, await userIdOf(officer), [administrator]))).toMatchObject(denied)
  expect(await problem(await set(officer, manager.id, []))).toMatchObject(denied)
  await json(await set(manager.request, id, [administrator]))
  await json(await set(manager.request, id, []))
})

test('assigning other roles to an administrator requires only the permission to manage users', async () => {
  const other = await host.makeRole('other')
  const path = `/api/security/users/${manager.id}/roles`
  await json(await officer('PUT', path, { body: { roleIds: [administrator.id, other.id] } }))
  await json(await officer('PUT', path, { body: { roleIds: [administrator.id] } }))
})

test.each(['deactivate', 'reactivate'])(
  'only administrators can %s users with an administrator role',
  async (verb) => {
    const path = `/api/security/users/${manager.id}/${verb}`
    expect(await problem(await officer('POST', path))).toMatchObject(forbidden('system.users.manage'))
    await json(await host.root('POST', path))
  },
)

test('an inactive administrator role is protected too', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set is_active = false where id = ${administrator.id}`),
  )
  const response = await officer('POST', `/api/security/users/${manager.id}/deactivate`)
  expect(await problem(response)).toMatchObject(forbidden('system.users.manage'))
  await json(await host.root('POST', on('/reactivate')))
})
