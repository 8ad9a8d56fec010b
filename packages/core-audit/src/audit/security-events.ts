import { CoreError } from '../errors.ts'
import type { AuditTarget } from './queries/list-audit-events.ts'

/** The kind under which callers read the changes of roles, users and outbox events. No business object can have it. */
export const securityKind = 'Security'

/** The module of events about roles, users and outbox events. */
export const securityModule = 'core-audit'

/** What the events of a role are stored under. */
export const roleTarget = { kind: 'Role', typeCode: 'system.role' } as const

/** What the events of a user are stored under. */
export const userTarget = { kind: 'User', typeCode: 'system.user' } as const

/**
 * Type code of the API → what the events are stored under. Stored names stay as they are: events are append-only, and the
 * access seed looks them up. An outbox event is stored under its own type.
 */
const stored = new Map<string, Omit<AuditTarget, 'id'>>([
  ['security.role', roleTarget],
  ['security.user', userTarget],
  ['outbox.event', { kind: 'OutboxEvent', typeCode: null }],
])

/**
 * Where the events of a role, user or outbox event are stored.
 * @throws {CoreError} business_object.unsupported for another type code
 */
export function storedSecurityTarget(typeCode: string, id: string): AuditTarget {
  const target = stored.get(typeCode)
  if (target === undefined) throw new CoreError('business_object.unsupported')
  return { ...target, id }
}
