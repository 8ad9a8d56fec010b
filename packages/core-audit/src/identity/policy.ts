import type { Caller } from '../access/caller.ts'
import type { FieldError } from '../errors.ts'

/**
 * What the administration of roles and users goes by.
 *
 * `system.roles.manage` and `system.users.manage` are wide: whoever holds both can give themselves every registered
 * permission by way of a role, so grant them like one would grant that. What they cannot do is become an
 * administrator, or undo one: that takes an administrator. Administrators hold what is registered tomorrow too, and
 * nobody can take it from their role.
 */
export interface AccessRules {
  /** Codes of the roles that hold every permission. They come from the host, so they do not change while it runs. */
  readonly administratorRoleCodes: ReadonlySet<string>
  /** Every registered permission, sorted. */
  readonly permissions: readonly string[]
}

/** Whether a role with this code is an administrator role: full access, and protected from change. */
export function isAdministratorRole(rules: AccessRules, code: string): boolean {
  return rules.administratorRoleCodes.has(code)
}

/** Whether the caller may make a role with this code: an administrator role is for administrators to make. */
export function mayCreateRole(rules: AccessRules, caller: Caller, code: string): boolean {
  return caller.isAdministrator || !isAdministratorRole(rules, code)
}

/**
 * Whether a role may change its code so. An administrator role keeps its code, and no role becomes one by a change of
 * code: everybody who has it would become an administrator without anybody having said so.
 */
export function mayChangeCode(rules: AccessRules, from: string, to: string): boolean {
  return from === to || (!isAdministratorRole(rules, from) && !isAdministratorRole(rules, to))
}

/**
 * Whether a role may be switched on or off. An administrator role is always on; one that was off when the host
 * registered its code can be switched on, by an administrator.
 */
export function maySetActivity(
  rules: AccessRules,
  caller: Caller,
  change: { readonly code: string; readonly from: boolean; readonly to: boolean },
): boolean {
  if (!isAdministratorRole(rules, change.code)) return true
  return caller.isAdministrator && change.to && !change.from
}

/** Whether the caller may give or take roles with these codes, or deactivate somebody who has them. */
export function mayDecideOver(rules: AccessRules, caller: Caller, codes: readonly string[]): boolean {
  return caller.isAdministrator || !codes.some((code) => isAdministratorRole(rules, code))
}

/**
 * What is wrong with permissions to be granted. A role keeps what it has though its package is no longer mounted:
 * mounting it again restores access, and a list that was read can be sent back.
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

/** Permissions as they are stored, compared and shown: each once, sorted. */
export function normalizePermissions(permissions: readonly string[]): readonly string[] {
  return [...new Set(permissions)].sort()
}
