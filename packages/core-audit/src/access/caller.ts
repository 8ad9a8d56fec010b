import { CoreError } from '../errors.ts'

/** A role from our tables, as of the start of the request. */
export interface CallerRole {
  readonly id: string
  readonly code: string
  readonly name: string
}

/** The authenticated user of a request and their permissions. Loaded for each request by one statement, never cached. */
export interface Caller {
  /** The stable, opaque id from the identity provider. */
  readonly subject: string
  /** Like `displayName`, from the token, or from the user record if the token lacks it. */
  readonly email: string | null
  readonly displayName: string
  /** The id of the user record; `null` for an unknown subject until its first successful request creates one. */
  readonly userId: string | null
  /** Whether the record differs from the token. If so, the next mutation updates the record. */
  readonly profileChanged: boolean
  /** Whether the token carries the identity provider's administrator role. */
  readonly isPlatformAdministrator: boolean
  /** Whether the caller holds every permission, by the token or an active administrator role of ours. */
  readonly isAdministrator: boolean
  /** Only active roles. */
  readonly roles: readonly CallerRole[]
  /** Permissions that roles grant by name; often empty for administrators. Check with {@link holds}. */
  readonly permissions: ReadonlySet<string>
}

/** Returns whether the caller holds a permission. Administrators hold all. */
export function holds(caller: Caller, permission: string): boolean {
  return caller.isAdministrator || caller.permissions.has(permission)
}

/** One permission, or several alternatives of which one is enough. A refusal names the first. */
export type RequiredPermission = string | readonly [string, ...string[]]

/** Returns the accepted permissions of a requirement. A refusal names the first. */
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
