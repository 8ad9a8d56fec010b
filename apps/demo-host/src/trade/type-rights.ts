import { type Caller, holds, requirePermission } from '@vertical-kit/core-audit/access'
import type { Guard, KitEnv } from '@vertical-kit/core-audit/http'
import { type Authorize, authorizer } from '@vertical-kit/core-audit/objects'
import type { Context } from 'hono'
import { permissionOf, type ResourceKind, type TradeAction } from './permissions.ts'

/** Who may do what with the objects of one type. To who may not view them, the type is as absent as one nobody knows. */
export interface TypeRights {
  /** Refuses who may not view. Before everything else of an endpoint. */
  readonly viewGuard: Guard
  permission(action: TradeAction): string
  /** What an action looks at again behind the lock: the view permission, then its own. */
  authorizing(c: Context<KitEnv>, action: TradeAction): Authorize
}

/** The rights on one type; `notFound` makes the refusal of who may not view. */
export function typeRights(kind: ResourceKind, typeCode: string, notFound: () => Error): TypeRights {
  const permission = (action: TradeAction) => permissionOf(kind, typeCode, action)
  const requireView = (caller: Caller): void => {
    if (!holds(caller, permission('view'))) throw notFound()
  }
  return {
    viewGuard: (c) => requireView(c.get('caller')),
    permission,
    authorizing: (c, action) =>
      authorizer(c, (_tx, caller) => {
        requireView(caller)
        requirePermission(caller, permission(action))
      }),
  }
}
