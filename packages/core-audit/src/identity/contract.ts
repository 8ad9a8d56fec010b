import * as v from 'valibot'
import {
  codePointCount,
  emailAddressPattern,
  FlagText,
  Id,
  Instant,
  isVisibleName,
  OneLineText,
  PageLimit,
  StorableText,
} from '../http/contract.ts'

/** The name of an assigned role. */
const RoleName = v.object({ id: v.string(), code: v.string(), name: v.string() })

/**
 * A role of the caller, either stored for the user (`assigned`) or mapped from the identity provider's groups (`token`).
 */
const HeldRole = v.object({ ...RoleName.entries, source: v.picklist(['assigned', 'token']) })

/** The caller's profile and current access. */
export const MeAccess = v.pipe(
  v.object({
    userId: v.string(),
    subject: v.string(),
    email: v.nullable(v.string()),
    displayName: v.string(),
    isActive: v.boolean(),
    isAdministrator: v.boolean(),
    roles: v.array(HeldRole),
    permissions: v.array(v.string()),
  }),
  v.metadata({ ref: 'MeAccess' }),
)
export type MeAccess = v.InferOutput<typeof MeAccess>

/** A permission that a role can grant. */
export const Permission = v.pipe(
  v.object({
    permission: v.string(),
    displayName: v.string(),
    group: v.string(),
    description: v.string(),
  }),
  v.metadata({ ref: 'Permission' }),
)
export type Permission = v.InferOutput<typeof Permission>

/** A role. A role with full access is protected and shows every registered permission. */
export const Role = v.pipe(
  v.object({
    id: v.string(),
    code: v.string(),
    name: v.string(),
    description: v.string(),
    isActive: v.boolean(),
    isProtected: v.boolean(),
    hasFullAccess: v.boolean(),
    permissions: v.array(v.string()),
    assignedUserCount: v.number(),
    createdAtUtc: Instant,
    updatedAtUtc: Instant,
  }),
  v.metadata({ ref: 'Role' }),
)
export type Role = v.InferOutput<typeof Role>

/** A user with all assigned roles, including inactive ones. */
export const User = v.pipe(
  v.object({
    id: v.string(),
    subject: v.string(),
    email: v.nullable(v.string()),
    displayName: v.string(),
    isActive: v.boolean(),
    roles: v.array(RoleName),
    createdAtUtc: Instant,
    updatedAtUtc: Instant,
  }),
  v.metadata({ ref: 'User' }),
)
export type User = v.InferOutput<typeof User>

/** A page of users. `nextCursor` is the `cursor` of the next page, or null on the last page. */
export const UserPage = v.pipe(
  v.object({ items: v.array(User), nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'UserPage' }),
)
export type UserPage = v.InferOutput<typeof UserPage>

/** Maximum lengths of a role's texts, in code points. The table enforces them too. */
export const roleLimits = { codeMaxChars: 100, nameMaxChars: 200, descriptionMaxChars: 2_000 } as const

/** Maximum lengths of a user's texts, in code points. Sources: OpenID Connect Core 1.0 §2, RFC 5321 §4.5.3.1. */
export const userLimits = { subjectMaxChars: 255, emailMaxChars: 320, displayNameMaxChars: 320 } as const

/** Maximum length of a search for users, in code points. */
const searchMaxChars = 200

/** Returns whether a text has the form of a permission, such as `document.trade.sales_invoice.view`. */
export const isPermission = (text: string): boolean =>
  /^(system|catalog|document)(\.[a-z0-9_]+){2,}$/.test(text)

/** No deployment registers this many permissions. The maximum limits the work and the answer that one body can cause. */
const permissionsMax = 2_000
const rolesOfUserMax = 500

const atMost = (maxChars: number) =>
  v.check<string, string>(
    (text) => codePointCount(text) <= maxChars,
    `expected at most ${maxChars} characters`,
  )

const RoleCode = v.pipe(
  v.string(),
  v.maxLength(roleLimits.codeMaxChars, `expected at most ${roleLimits.codeMaxChars} characters`),
  v.regex(
    /^[a-z0-9]+([._-][a-z0-9]+)*$/,
    'expected lower-case letters and digits, in parts joined by one dot, hyphen or underscore',
  ),
)

/** Checks whether text is a valid role code. */
export const isRoleCode = (text: string): boolean => v.is(RoleCode, text)

const nameUpTo = (maxChars: number) =>
  v.pipe(
    OneLineText,
    v.nonEmpty('expected more than white space'),
    v.check(
      (name) => name === '' || isVisibleName(name),
      'expected visible characters, and none that change the direction of text',
    ),
    atMost(maxChars),
  )

const RoleTitle = nameUpTo(roleLimits.nameMaxChars)

const RoleDescription = v.pipe(StorableText, v.trim(), atMost(roleLimits.descriptionMaxChars))

const PermissionCodes = v.pipe(
  v.array(v.string()),
  v.maxLength(permissionsMax, `expected at most ${permissionsMax}`),
)

/** Creates an active role. Its permissions must be registered by modules of the host. */
export const CreateRoleBody = v.object({
  code: RoleCode,
  name: RoleTitle,
  description: v.optional(RoleDescription, ''),
  permissions: v.optional(PermissionCodes, []),
})

/** Replaces the code and the texts of a role. Its permissions stay as they are. */
export const UpdateRoleBody = v.object({
  ...{ code: RoleCode, name: RoleTitle, description: RoleDescription },
  expected: v.optional(v.object({ code: v.string(), name: v.string(), description: v.string() })),
})

/** Replaces the permissions of the role. With `expectedPermissions`, the role must still have these, or have the new ones already. */
export const SetRolePermissionsBody = v.object({
  permissions: PermissionCodes,
  expectedPermissions: v.optional(PermissionCodes),
})

const RoleIds = v.pipe(v.array(Id), v.maxLength(rolesOfUserMax, `expected at most ${rolesOfUserMax}`))

/** Replaces the roles of the user. With `expectedRoleIds`, the user must still have exactly these roles. */
export const SetUserRolesBody = v.object({ roleIds: RoleIds, expectedRoleIds: v.optional(RoleIds) })

/** Invites a person. The subject is stored unchanged: the identity provider's tokens must contain exactly this text. */
export const CreateUserBody = v.object({
  subject: v.pipe(
    StorableText,
    v.check((text) => text.trim() !== '', 'expected more than white space'),
    atMost(userLimits.subjectMaxChars),
  ),
  email: v.nullable(
    v.pipe(
      StorableText,
      v.trim(),
      v.regex(emailAddressPattern, 'expected an e-mail address'),
      atMost(userLimits.emailMaxChars),
    ),
  ),
  displayName: nameUpTo(userLimits.displayNameMaxChars),
  roleIds: RoleIds,
})

/**
 * Selects a page of users, newest first. Without `isActive`, it contains deactivated users too. `cursor` is a
 * `nextCursor`.
 */
export const ListUsersQuery = v.object({
  limit: PageLimit,
  cursor: v.optional(Id),
  isActive: v.optional(FlagText),
  /** A part of the name, email address or subject. */
  q: v.optional(v.pipe(StorableText, v.trim(), atMost(searchMaxChars))),
})
