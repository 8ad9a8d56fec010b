/** The caller's identity, roles and current permissions. */
export interface MeAccess {
  userId: string
  subject: string
  email: string | null
  displayName: string
  isActive: boolean
  isAdministrator: boolean
  roles: { id: string; code: string; name: string; source: 'assigned' | 'token' }[]
  permissions: string[]
}

/** A permission that a role can grant: `<resourceKind>.<resourceCode>.<action>`. */
export interface Permission {
  permission: string
  displayName: string
  group: string
  description: string
}

/** A role. A role with full access is protected: it grants every permission. */
export interface Role {
  id: string
  code: string
  name: string
  description: string
  isActive: boolean
  isProtected: boolean
  hasFullAccess: boolean
  permissions: string[]
  assignedUserCount: number
  createdAtUtc: string
  updatedAtUtc: string
}

/** A user with all assigned roles, including inactive roles. */
export interface User {
  id: string
  subject: string
  email: string | null
  displayName: string
  isActive: boolean
  roles: { id: string; code: string; name: string }[]
  createdAtUtc: string
  updatedAtUtc: string
}
