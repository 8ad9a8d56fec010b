import { Hono } from 'hono'
import type { Actor } from '../access/actor.ts'
import { type ChangeAuthor, changeAs } from '../access/change-as.ts'
import type { PermissionDefinition } from '../access/permission.ts'
import type { Database, Tx } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { accessRoutes } from './access-routes.ts'
import type { AccessRules } from './policy.ts'
import { roleRoutes } from './role-routes.ts'
import { userRoutes } from './user-routes.ts'

export interface IdentityRoutesOptions {
  readonly database: Database
  readonly rules: AccessRules
  /** The permissions that a role can grant, sorted. */
  readonly grantable: readonly PermissionDefinition[]
  readonly outbox: Outbox
}

/** Runs a change of access in a transaction, and wakes the consumers of its event after the commit. */
export type ChangeAccess = <T>(author: ChangeAuthor, work: (tx: Tx, actor: Actor) => Promise<T>) => Promise<T>

/** Creates the routes of `/api/security`. */
export function identityRoutes({ outbox, ...common }: IdentityRoutesOptions): Hono<KitEnv> {
  const changeAccess: ChangeAccess = (author, work) =>
    changeAs(common.database, author, (tx, actor) => {
      tx.afterCommit(outbox.wake)
      return work(tx, actor)
    })
  const options = { ...common, changeAccess }
  return new Hono<KitEnv>()
    .route('/', accessRoutes(options))
    .route('/', roleRoutes(options))
    .route('/', userRoutes(options))
}
