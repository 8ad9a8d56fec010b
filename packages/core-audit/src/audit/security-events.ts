import { CoreError } from '../errors.ts'
import type { AuditTarget } from './queries/list-audit-events.ts'

/** The kind with which callers read changes of roles, users and outbox events. No business object has this kind. */
export const securityKind = 'Security'

/** The module of events about roles, users and outbox events. */
export const securityModule = 'core-audit'

/** The stored target of role events, without the id. */
export const roleTarget = { kind: 'Role', typeCode: 'system.role' } as const

/** The stored target of user events, without the id. */
export const userTarget = { kind: 'User', typeCode: 'system.user' } as const

/**
 * Type code of the API → stored target. Stored names never change: events are append-only, and the access seed looks them
 * up. An outbox event is stored under its own type, so any type matches.
 */
const stored = new Map<string, Omit<AuditTarget, 'id'>>([
  ['security.role', roleTarget],
  ['security.user', userTarget],
  ['outbox.event', { kind: 'OutboxEvent', typeCode: null }],
])

/**
 * Returns the stored target for the events of a role, user or outbox event.
 * @throws {CoreError} business_object.unsupported for another type code
 */
export function storedSecurityTarget(typeCode: string, id: string): AuditTarget {
  const target = stored.get(typeCode)
  if (target === undefined) throw new CoreError('business_object.unsupported')
  return { ...target, id }
}
