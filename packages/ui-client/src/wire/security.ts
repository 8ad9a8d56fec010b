/** What the caller may do, now. `userId` is null until their first change makes a record. */
export interface MeAccess {
  userId: string | null
  subject: string
  email: string | null
  displayName: string
  isActive: boolean
  isAdministrator: boolean
  roles: { id: string; code: string; name: string }[]
  permissions: string[]
}
