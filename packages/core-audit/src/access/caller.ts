import type { ReadPosition } from '../database/database.ts'
import { CoreError } from '../errors.ts'

/** A role as other users may see it. */
export interface RoleName {
  readonly code: string
  readonly name: string
}

/** A role of the caller, read from the database at the start of the request. */
export interface CallerRole extends RoleName {
  readonly id: string
  /** `assigned`: stored for the user. `token`: granted by the credentials of this request only. */
  readonly source: 'assigned' | 'token'
}

/** The authenticated user of a request, with permissions. They are read for each request, after it has arrived. */
export interface Caller {
  /** The stable, opaque id from the identity provider. */
  readonly subject: string
  /** The email address from the token, or from the user record if the token has none. `displayName` has the same source. */
  readonly email: string | null
  readonly displayName: string
  /** The id of the user record; `null` for a new user until a request has created the record. */
  readonly userId: string | null
  /** Whether the user record differs from the token. If so, the next mutation updates the record. */
  readonly profileChanged: boolean
  /** Whether the token contains the administrator role of the identity provider. */
  readonly isPlatformAdministrator: boolean
  /** Whether the caller holds every permission, because of the token or of an active administrator role in the database. */
  readonly isAdministrator: boolean
  /** The caller's active roles. A role that is both assigned and granted by the token appears once, as assigned. */
  readonly roles: readonly CallerRole[]
  /** The permissions that roles grant explicitly. Use {@link holds} for checks, because administrators hold all. */
  readonly permissions: ReadonlySet<string>
  /**
   * The position at which the caller was loaded, for `database.read`; absent without a standby. Rights are always read from
   * the primary, and a list that is read with this position shows everything that was visible before the request.
   */
  readonly since?: ReadPosition
}

/** Returns whether the caller holds a permission. Administrators hold every permission. */
export function holds(caller: Caller, permission: string): boolean {
  return caller.isAdministrator || caller.permissions.has(permission)
}

/** One permission, or a list of alternatives. The caller needs one of them. A refusal names the first alternative. */
export type RequiredPermission = string | readonly [string, ...string[]]

/** Returns the alternatives of a required permission. A single permission becomes a list with one item. */
export function permissionsOf(required: RequiredPermission): readonly [string, ...string[]] {
  return typeof required === 'string' ? [required] : required
}

/**
 * Returns the caller, or throws if the caller lacks the permission.
 * @throws {CoreError} permission.denied, with the permission in its context
 */
export function requirePermission(caller: Caller, required: RequiredPermission): Caller {
  const permissions = permissionsOf(required)
  if (permissions.some((permission) => holds(caller, permission))) return caller
  throw new CoreError('permission.denied', { context: { permission: permissions[0] } })
}
