import type { Caller } from '../access/caller.ts'
import { newId } from '../new-id.ts'

/**
 * Creates a caller with exactly these permissions, for rules and server code that need a caller without a request. `userId`
 * is a new id without a user record; `more` sets other fields.
 */
export function testCaller(permissions: readonly string[] = [], more: Partial<Caller> = {}): Caller {
  return {
    subject: 'caller',
    email: null,
    displayName: 'Caller',
    userId: newId(),
    profileChanged: false,
    isPlatformAdministrator: false,
    isAdministrator: false,
    roles: [],
    permissions: new Set(permissions),
    ...more,
  }
}
