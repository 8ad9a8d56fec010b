import { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import type { KitEnv } from '../http/environment.ts'
import type { PermissionDefinition } from '../module.ts'
import { accessRoutes } from './access-routes.ts'
import type { AccessRules } from './policy.ts'
import { roleRoutes } from './role-routes.ts'
import { userRoutes } from './user-routes.ts'

export interface IdentityRoutesOptions {
  readonly database: Database
  readonly rules: AccessRules
  /** What there is to grant, sorted by permission. */
  readonly grantable: readonly PermissionDefinition[]
}

/** `/api/security`. */
export function identityRoutes(options: IdentityRoutesOptions): Hono<KitEnv> {
  return new Hono<KitEnv>()
    .route('/', accessRoutes(options))
    .route('/', roleRoutes(options))
    .route('/', userRoutes(options))
}
