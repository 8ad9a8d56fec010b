import { Hono } from 'hono'
import type { Database, Tx } from '../database/database.ts'
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
  /** Called after a commit that may have appended events. */
  readonly onEventsCommitted: () => void
}

/** Runs a change of who may do what in a transaction, and says so once it has committed. */
export type ChangeAccess = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

/** `/api/security`. */
export function identityRoutes({ onEventsCommitted, ...common }: IdentityRoutesOptions): Hono<KitEnv> {
  const changeAccess: ChangeAccess = async (work) => {
    const changed = await common.database.transaction(work)
    onEventsCommitted()
    return changed
  }
  const options = { ...common, changeAccess }
  return new Hono<KitEnv>()
    .route('/', accessRoutes(options))
    .route('/', roleRoutes(options))
    .route('/', userRoutes(options))
}
