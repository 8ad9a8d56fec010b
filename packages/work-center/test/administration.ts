import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expectJson, type InboxHost } from './harness.ts'
import type { Person } from './people.ts'

/** Changes access like an administrator, over HTTP, so that each change appends its event. */
export interface Administration {
  /** Sends a request to a path below `/api/security`. */
  ask(method: string, path: string, body?: object): Promise<{ id: string; permissions: readonly string[] }>
  roleId(code: string): Promise<string>
  /** Replaces the roles of a user. */
  setRoles(person: Person, ...codes: readonly string[]): Promise<unknown>
}

export async function openAdministration(host: InboxHost): Promise<Administration> {
  const root: TestRequest = await host.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
  const ask: Administration['ask'] = async (method, path, body) =>
    expectJson(await root(method, `/api/security${path}`, body === undefined ? {} : { body }))
  const roleId = async (code: string): Promise<string> => {
    const [row] = await host.database.read((db) =>
      db.execute<{ id: string }>(sql`select id from core_audit.roles where code = ${code}`),
    )
    return row?.id ?? ''
  }
  return {
    ask,
    roleId,
    setRoles: async ({ userId }, ...codes) =>
      ask('PUT', `/users/${userId}/roles`, { roleIds: await Promise.all(codes.map(roleId)) }),
  }
}
