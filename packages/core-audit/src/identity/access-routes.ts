import { Hono } from 'hono'
import * as v from 'valibot'
import type { Caller } from '../access/caller.ts'
import type { PermissionDefinition } from '../access/permission.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { MeAccess, Permission } from './contract.ts'
import type { AccessRules } from './policy.ts'

export interface AccessRoutesOptions {
  readonly rules: AccessRules
  /** The permissions that a role can grant, sorted. */
  readonly grantable: readonly PermissionDefinition[]
}

/** Creates the routes `/api/security/me/access` (the caller's access) and `/api/security/permissions` (for roles). */
export function accessRoutes({ rules, grantable }: AccessRoutesOptions): Hono<KitEnv> {
  return new Hono<KitEnv>()
    .get(
      '/api/security/me/access',
      api({
        operationId: 'getMyAccess',
        tag: 'Security',
        summary: 'Returns the profile, active roles and permissions of the caller.',
        responses: { 200: { description: 'The access', schema: MeAccess } },
      }),
      async (c) => {
        const caller = c.get('caller')
        // The first request of a new user creates the user record and returns its id.
        const userId = caller.userId ?? (await c.get('actor')()).userId
        return c.json(accessOf({ ...caller, userId }, rules))
      },
    )
    .get(
      '/api/security/permissions',
      api({
        operationId: 'listPermissions',
        tag: 'Security',
        summary: 'Lists every permission that a role can grant.',
        permission: 'system.permissions.view',
        responses: { 200: { description: 'The permissions', schema: v.array(Permission) } },
      }),
      (c) =>
        c.json(
          grantable.map(({ permission, displayName, group, description }) => ({
            permission,
            displayName,
            group,
            description,
          })),
        ),
    )
}

function accessOf(caller: Caller & { readonly userId: string }, rules: AccessRules): MeAccess {
  return {
    userId: caller.userId,
    subject: caller.subject,
    email: caller.email,
    displayName: caller.displayName,
    // Inactive users never reach this code: authentication rejects them with `auth.inactive`.
    isActive: true,
    isAdministrator: caller.isAdministrator,
    roles: caller.roles.toSorted((one, other) => (one.code < other.code ? -1 : 1)),
    permissions: caller.isAdministrator ? [...rules.permissions] : [...caller.permissions].sort(),
  }
}
