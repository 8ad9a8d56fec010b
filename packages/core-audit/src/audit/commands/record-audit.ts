import { type SQL, sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import { newId } from '../../new-id.ts'

/** One field before and after. Values are shown to whoever may read the event. */
export interface FieldChange {
  readonly fieldPath: string
  readonly oldValue: unknown
  readonly newValue: unknown
}

/** An event to be written. Never put a storage key, a credential or a signed URL in one: it stays for good. */
export interface NewAuditEvent {
  /** The package that speaks, as its {@link AuditSource} is registered. */
  readonly module: string
  /** What the event is about. Roles and users have kinds of their own, which no timeline of a business object shows. */
  readonly target: { readonly kind: string; readonly typeCode: string; readonly id: string }
  readonly actionCode: string
  /** `null` for what the service does by itself. */
  readonly actorUserId: string | null
  readonly correlationId: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly changes?: readonly FieldChange[]
}

/** Writes events in the transaction of what they tell: both commit, or neither. */
export async function recordAudit(tx: Tx, ...events: readonly NewAuditEvent[]): Promise<void> {
  if (events.length > 0) await tx.execute(auditInsert(events))
}

/**
 * The same as a fragment, for a write that carries its event in one statement:
 * `` sql`with audit as (${auditInsert([event])}) insert into …` ``
 *
 * @throws {TypeError} without an event: there is no statement that inserts nothing
 */
export function auditInsert(events: readonly NewAuditEvent[]): SQL {
  if (events.length === 0) throw new TypeError('auditInsert: there is no event to write')
  const rows = events.map(
    (event) => sql`(
      ${newId()}::uuid,
      ${event.module},
      ${event.target.kind},
      ${event.target.typeCode},
      ${event.target.id}::uuid,
      ${event.actionCode},
      ${event.actorUserId}::uuid,
      ${event.correlationId},
      ${event.metadata === undefined ? null : JSON.stringify(event.metadata)}::jsonb,
      ${JSON.stringify(event.changes?.map(wholeChange) ?? [])}::jsonb
    )`,
  )
  return sql`
    insert into core_audit.audit_events (
      id, module, target_kind, target_type_code, target_id,
      action_code, actor_user_id, correlation_id, metadata, changes
    )
    values ${sql.join(rows, sql`, `)}`
}

/** JSON leaves out what is undefined; a change always says both values. */
const wholeChange = ({ fieldPath, oldValue, newValue }: FieldChange): FieldChange => ({
  fieldPath,
  oldValue: oldValue ?? null,
  newValue: newValue ?? null,
})
