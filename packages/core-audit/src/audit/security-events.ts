import { CoreError } from '../errors.ts'
import type { AuditTarget } from './queries/list-audit-events.ts'

/** The kind in requests for the changes of roles, users and outbox events. No business object has this kind. */
export const securityKind = 'Security'

/** The module name in audit events about roles, users and outbox events. */
export const securityModule = 'core-audit'

/** The stored kind of events about partitions of the audit log. */
export const partitionKind = 'AuditPartition'

/** The stored target of role events, without the id. */
export const roleTarget = { kind: 'Role', typeCode: 'system.role' } as const

/** The stored target of user events, without the id. */
export const userTarget = { kind: 'User', typeCode: 'system.user' } as const

/**
 * The stored target of each type code in the API. The stored names never change, because events are append-only and the
 * access seed searches for these names. Each outbox event, consumer and partition has its own stored type, so
 * `null` matches every type.
 */
const stored = new Map<string, Omit<AuditTarget, 'id'>>([
  ['security.role', roleTarget],
  ['security.user', userTarget],
  ['outbox.event', { kind: 'OutboxEvent', typeCode: null }],
  ['outbox.consumer', { kind: 'OutboxConsumer', typeCode: null }],
  ['audit.partition', { kind: partitionKind, typeCode: null }],
])

/** The actions at outbox events. */
export const outboxActions = ['outbox.retried', 'outbox.discarded'] as const
/** The action at outbox consumers. */
export const consumerAction = 'outbox.consumer_unregistered'
/** The action at partitions. */
export const partitionAction = 'audit.partition_dropped'

/** All actions at the targets that have no common type, by the type code in the API. */
const actions = new Map<string, readonly string[]>([
  ['outbox.event', outboxActions],
  ['outbox.consumer', [consumerAction]],
  ['audit.partition', [partitionAction]],
])

/** Returns all actions at the targets of a type code of the API, if their stored types differ. */
export const securityActions = (typeCode: string): readonly string[] | undefined => actions.get(typeCode)

/** Returns the stored kind and type of a type code of the API; `undefined` for any other type code. */
export const storedSecurityType = (typeCode: string): Omit<AuditTarget, 'id'> | undefined =>
  stored.get(typeCode)

/** Returns the target that the API shows for the stored target of an event of the kernel. */
export function shownSecurityTarget(target: { readonly kind: string; readonly id: string }) {
  const [typeCode] = [...stored].find(([, { kind }]) => kind === target.kind) ?? [target.kind]
  return { kind: securityKind, typeCode, id: target.id }
}

/**
 * Returns the stored target for the events of a role, user, outbox event or partition of the audit log.
 * @throws {CoreError} business_object.unsupported for an unknown type code
 */
export function storedSecurityTarget(typeCode: string, id: string): AuditTarget {
  const target = stored.get(typeCode)
  if (target === undefined) throw new CoreError('business_object.unsupported')
  return { ...target, id }
}
