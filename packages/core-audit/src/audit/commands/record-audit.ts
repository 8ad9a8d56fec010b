import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'

/** The old and the new value of one changed field. Every reader of the event sees both values. */
export interface FieldChange {
  readonly fieldPath: string
  readonly oldValue: unknown
  readonly newValue: unknown
}

/** A new audit event. Never include a storage key, credential or signed URL: events cannot be deleted. */
export interface NewAuditEvent {
  /** The name of the module that writes the event. The module's {@link AuditSource} has the same name. */
  readonly module: string
  /** The changed object. Roles and users have their own kinds, which timelines of business objects never show. */
  readonly target: { readonly kind: string; readonly typeCode: string; readonly id: string }
  readonly actionCode: string
  /** The user id of the author; `null` for actions of the service itself. */
  readonly actorUserId: string | null
  readonly correlationId: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly changes?: readonly FieldChange[]
}

/**
 * Writes audit events in the transaction of their change. The events and the change commit or roll back together. Uses
 * `tx.send`, so a failure rejects the transaction.
 */
export async function recordAudit(tx: Tx, ...events: readonly NewAuditEvent[]): Promise<void> {
  if (events.length > 0) await tx.send(auditInsert(tx, events))
}

/**
 * Returns the insert of events as an SQL fragment. PostgreSQL creates their ids at the insert, in the given order. Use this
 * to write a change and its events in one statement: `` sql`with audit as (${auditInsert(tx, [event])}) insert into …` ``
 * After the commit of `tx`, pages that show the objects learn that they changed.
 *
 * @throws {TypeError} for an empty list of events, because `values` needs at least one row
 */
export function auditInsert(tx: Pick<Tx, 'audited'>, events: readonly NewAuditEvent[]): SQL {
  for (const { target } of events) tx.audited(target)
  return insertOfEvents(events)
}

/** Returns the insert without a report: for events about the audit log itself, which belong to no page. */
export function insertOfEvents(events: readonly NewAuditEvent[]): SQL {
  if (events.length === 0) throw new TypeError('auditInsert: events must not be empty')
  const rows = events.map(
    (event) => sql`(
      ${event.module},
      ${event.target.kind},
      ${event.target.typeCode},
      ${event.target.id}::uuid,
      ${event.actionCode},
      ${event.actorUserId}::uuid,
      ${event.correlationId},
      ${event.metadata === undefined ? null : JSON.stringify(event.metadata)}::jsonb,
      ${JSON.stringify(event.changes?.map(withBothValues) ?? [])}::jsonb
    )`,
  )
  return sql`
    insert into core_audit.audit_events (
      module, target_kind, target_type_code, target_id,
      action_code, actor_user_id, correlation_id, metadata, changes
    )
    values ${sql.join(rows, sql`, `)}`
}

/** Replaces `undefined` with null, because JSON omits `undefined` and a stored change must contain both values. */
const withBothValues = ({ fieldPath, oldValue, newValue }: FieldChange): FieldChange => ({
  fieldPath,
  oldValue: oldValue ?? null,
  newValue: newValue ?? null,
})
