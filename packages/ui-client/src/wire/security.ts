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
