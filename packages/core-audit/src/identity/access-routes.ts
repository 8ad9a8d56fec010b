import { Hono } from 'hono'
import * as v from 'valibot'
import type { PermissionDefinition } from '../access/permission.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { callerAccessRoute } from './caller-access.ts'
import { Permission } from './contract.ts'
import type { AccessRules } from './policy.ts'

export interface AccessRoutesOptions {
  readonly rules: AccessRules
  /** The permissions that a role can grant, sorted. */
  readonly grantable: readonly PermissionDefinition[]
}

/** Creates the routes `/api/security/me/access` (the caller's access) and `/api/security/permissions` (for roles). */
export function accessRoutes({ rules, grantable }: AccessRoutesOptions): Hono<KitEnv> {
  return new Hono<KitEnv>()
    .route(
      '/',
      callerAccessRoute(({ isAdministrator, permissions }) =>
        isAdministrator ? [...rules.permissions] : [...permissions].sort(),
      ),
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
