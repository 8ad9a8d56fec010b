import { type Caller, holds, requirePermission } from '@vertical-kit/core-audit/access'
import type { Guard, KitEnv } from '@vertical-kit/core-audit/http'
import { type Authorize, authorizer } from '@vertical-kit/core-audit/objects'
import type { Context } from 'hono'
import { permissionOf, type ResourceKind, type TradeAction } from './permissions.ts'

/** The permission checks for objects of one type. Without the view permission, callers get the error for unknown types. */
export interface TypeRights {
  /** Refuses callers without the view permission. This guard must run first in every endpoint. */
  readonly viewGuard: Guard
  permission(action: TradeAction): string
  /**
   * Returns a check of the view permission and the action's permission, followed by the check `also`. Commands call it after
   * they lock the object.
   */
  authorizing(c: Context<KitEnv>, action: TradeAction, also?: (caller: Caller) => void): Authorize
}

/** Returns the permission checks for one type. `notFound` creates the error for callers without the view permission. */
export function typeRights(kind: ResourceKind, typeCode: string, notFound: () => Error): TypeRights {
  const permission = (action: TradeAction) => permissionOf(kind, typeCode, action)
  const requireView = (caller: Caller): void => {
    if (!holds(caller, permission('view'))) throw notFound()
  }
  return {
    viewGuard: (c) => requireView(c.get('caller')),
    permission,
    authorizing: (c, action, also) =>
      authorizer(c, (_tx, caller) => {
        requireView(caller)
        requirePermission(caller, permission(action))
        also?.(caller)
      }),
  }
}
