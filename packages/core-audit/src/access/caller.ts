import { CoreError } from '../errors.ts'

/** A role of ours as it was when the request came in. */
export interface CallerRole {
  readonly id: string
  readonly code: string
  readonly name: string
}

/** Who asks, and what they may do: loaded anew for each request by one statement, never cached. */
export interface Caller {
  /** Of the identity provider: stable, opaque. */
  readonly subject: string
  /** Of the token, or of the record where the token does not say; so is the name. */
  readonly email: string | null
  readonly displayName: string
  /** Of our user record; `null` during the first request of an unknown subject: its success creates the record. */
  readonly userId: string | null
  /** Whether the record differs from the token, so that the next mutation updates it. */
  readonly profileChanged: boolean
  /** Whether the token carries the identity provider's administrator role. */
  readonly isPlatformAdministrator: boolean
  /** Whether they hold every permission: by the token, or by an active administrator role of ours. */
  readonly isAdministrator: boolean
  /** The active ones. */
  readonly roles: readonly CallerRole[]
  /** What the roles grant by name; empty for many an administrator. Ask {@link holds}. */
  readonly permissions: ReadonlySet<string>
}

/** Whether the caller holds a permission. Administrators hold all. */
export function holds(caller: Caller, permission: string): boolean {
  return caller.isAdministrator || caller.permissions.has(permission)
}

/** One permission, or several of which any one is enough; a refusal names the first. */
export type RequiredPermission = string | readonly [string, ...string[]]

/** The permissions of a requirement: the one that a refusal names, then its alternatives. */
export function permissionsOf(required: RequiredPermission): readonly [string, ...string[]] {
  return typeof required === 'string' ? [required] : required
}

/**
 * Refuses a caller without the permission; returns who has it.
 * @throws {CoreError} permission.denied, the permission in its context
 */
export function requirePermission(caller: Caller, required: RequiredPermission): Caller {
  const permissions = permissionsOf(required)
  if (permissions.some((permission) => holds(caller, permission))) return caller
  throw new CoreError('permission.denied', { context: { permission: permissions[0] } })
}
