import type { PermissionDefinition } from '@vertical-kit/core-audit/access'
import type { AuditEvent, Role, User } from '@vertical-kit/core-audit/contract'
import { type AccessSeed, createIdentity } from '@vertical-kit/core-audit/identity'
import { openTestHost, type TestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll } from 'vitest'
import { openDatabase } from '../harness.ts'

export { refusalOf as problem } from '@vertical-kit/core-audit/testing'

export const administratorRoleCode = 'trade.administrator'

const define = (permission: string): PermissionDefinition => ({
  permission,
  displayName: `Name of ${permission}`,
  group: 'Trade',
  description: `Description of ${permission}`,
})

/** The permissions of a vertical. */
export const trade = {
  name: 'trade',
  permissions: [define('document.trade.sales_order.view'), define('catalog.trade.item.view')],
}

/** Every permission of {@link trade} of identity and of the outbox, sorted. */
export const everyPermission = [
  'catalog.trade.item.view',
  'document.trade.sales_order.view',
  'system.outbox.manage',
  'system.permissions.view',
  'system.roles.manage',
  'system.roles.view',
  'system.users.manage',
  'system.users.view',
]

/** A host with its own database, one vertical and one administrator role code. */
export interface SecurityHost extends TestHost {
  readonly databaseUrl: string
  /** An administrator by token, with an existing user record. */
  readonly root: TestRequest
  readonly rootId: string
  /** Creates a role with a request of `root`. */
  makeRole(code: string, permissions?: readonly string[]): Promise<Role>
  /** Creates a user with exactly these roles, and returns a function that sends requests as this user. */
  makeUser(subject: string, roles?: readonly Role[]): Promise<{ request: TestRequest; id: string }>
  /** Returns the events of one role or user, oldest first. */
  eventsOf(id: string): Promise<readonly StoredEvent[]>
}

export type StoredEvent = {
  readonly module: string
  readonly target_kind: string
  readonly target_type_code: string
  readonly action_code: string
  readonly actor_user_id: string | null
  readonly correlation_id: string | null
  readonly changes: AuditEvent['changes']
}

/** Opens a host before the tests of a file, and closes it after them. Tests and later hooks can use it. */
export function useSecurityHost(): SecurityHost {
  const host = {} as SecurityHost
  beforeAll(async () => {
    Object.assign(host, await openSecurityHost())
  })
  afterAll(() => host.close())
  return host
}

async function openSecurityHost(): Promise<SecurityHost> {
  const fresh = await openDatabase()
  const host = await openReplica(fresh.url)
  const root = await host.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
  return {
    ...host,
    databaseUrl: fresh.url,
    root,
    rootId: await userIdOf(root),
    makeRole: async (code, permissions = []) =>
      json<Role>(await root('POST', '/api/security/roles', { body: { code, name: code, permissions } })),
    async makeUser(subject, roles = []) {
      const request = await host.as({ subject, permissions: [] })
      const id = await userIdOf(request)
      const body = { roleIds: roles.map((role) => role.id) }
      await json<User>(await root('PUT', `/api/security/users/${id}/roles`, { body }))
      return { request, id }
    },
    eventsOf: (id) =>
      host.database.read(async (db) => [
        ...(await db.execute<StoredEvent>(sql`
          select module, target_kind, target_type_code, action_code, actor_user_id, correlation_id, changes
          from core_audit.audit_events
          where target_id = ${id}::uuid
          order by occurred_at, id`)),
      ]),
    async close() {
      await host.close()
      await fresh.drop()
    },
  }
}

/** Opens another host over this database, like a second replica. */
export function openReplica(databaseUrl: string): Promise<TestHost> {
  return openTestHost({
    databaseUrl,
    modules: () => [trade],
    administratorRoleCodes: [administratorRoleCode],
  })
}

/** Seeds roles and users, as a host over the same database does at its start. */
export function seedAccess({ database, outbox }: TestHost, access: AccessSeed): Promise<void> {
  const identity = createIdentity({
    ...{ database, outbox, modules: [trade], administratorRoleCodes: [administratorRoleCode] },
    tokens: { verify: () => Promise.reject(new Error('this host has no sign-in')) },
  })
  return database.transaction((tx) => identity.seedAccess(tx, access))
}

export async function userIdOf(request: TestRequest): Promise<string> {
  const { userId } = await json<{ userId: string }>(await request('GET', '/api/security/me/access'))
  return userId
}

/** Returns the body of a successful response. Throws for any other status, with the body in the message. */
export async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
