import type { Caller } from '../access/caller.ts'
import type { FieldError } from '../errors.ts'

/**
 * The rules for the administration of roles and users.
 *
 * `system.roles.manage` and `system.users.manage` are powerful: each alone is enough to get every registered permission, by
 * adding it to one's own role, or by assigning oneself a role that has it. Only administrators can make a user an administrator,
 * or remove one.
 * Administrators also have permissions that are registered later, and their role cannot lose any permission.
 */
export interface AccessRules {
  /** Codes of the roles with all permissions. They come from the host, so they do not change while it runs. */
  readonly administratorRoleCodes: ReadonlySet<string>
  /** Every registered permission, sorted. */
  readonly permissions: readonly string[]
}

/** Checks whether a code belongs to an administrator role: full access, and protected from change. */
export function isAdministratorRole(rules: AccessRules, code: string): boolean {
  return rules.administratorRoleCodes.has(code)
}

/** Checks whether the caller may create a role with this code. Only administrators may create administrator roles. */
export function mayCreateRole(rules: AccessRules, caller: Caller, code: string): boolean {
  return caller.isAdministrator || !isAdministratorRole(rules, code)
}

/**
 * Checks whether the code of a role can change. An administrator role keeps its code. No other role can get such a code,
 * because all its users would silently become administrators. For a code that a later release registers, see
 * `requireTrustedCodes`.
 */
export function mayChangeCode(rules: AccessRules, from: string, to: string): boolean {
  return from === to || (!isAdministratorRole(rules, from) && !isAdministratorRole(rules, to))
}

/**
 * Checks whether a role can be switched on or off. An administrator role is always on. If the role was off when the host
 * registered its code, an administrator may switch it on.
 */
export function maySetActivity(
  rules: AccessRules,
  caller: Caller,
  change: { readonly code: string; readonly from: boolean; readonly to: boolean },
): boolean {
  if (!isAdministratorRole(rules, change.code)) return true
  return caller.isAdministrator && change.to && !change.from
}

/** Checks whether the caller may assign or remove roles with these codes, or deactivate a user with such a role. */
export function mayDecideOver(rules: AccessRules, caller: Caller, codes: readonly string[]): boolean {
  return caller.isAdministrator || !codes.some((code) => isAdministratorRole(rules, code))
}

/**
 * Returns the errors in a list of permissions to grant. Permissions that the role already has are never errors, even if
 * their package is no longer mounted. So a client can send back the list that it has read.
 */
export function permissionErrors(
  rules: AccessRules,
  requested: readonly string[],
  held: readonly string[],
): readonly FieldError[] {
  const known = new Set([...rules.permissions, ...held])
  return requested.flatMap((permission, index) =>
    known.has(permission)
      ? []
      : [{ path: `permissions.${index}`, message: 'is not a registered permission' }],
  )
}

/** Returns permissions as they are stored, compared and shown: without duplicates, sorted. */
export function normalizePermissions(permissions: readonly string[]): readonly string[] {
  return [...new Set(permissions)].sort()
}
