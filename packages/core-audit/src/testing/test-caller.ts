import type { Caller } from '../access/caller.ts'
import { newId } from '../new-id.ts'

/**
 * A caller with exactly these permissions, for rules and server code that take one without a request. `userId` is new,
 * so no user record has it; `more` sets whatever else a test is about.
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
