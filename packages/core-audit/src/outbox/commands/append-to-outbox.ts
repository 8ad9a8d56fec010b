import { type SQL, sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import { newId } from '../../new-id.ts'

/**
 * An event to be appended, CloudEvents-shaped; its id and time are given when it is. Never put a credential, a storage
 * key or a signed URL in one.
 *
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
 */
export interface NewOutboxEvent {
  /** What happened: `document.action.completed`. */
  readonly type: string
  /** Who says so: the package. */
  readonly source: string
  /**
   * What it happened to: `document/<type>/<id>`. Events of one subject are handled in order, so append while you hold
   * the subject's lock.
   */
  readonly subject: string
  /** `null` for what the service did by itself. */
  readonly actorUserId: string | null
  readonly correlationId: string | null
  /** What brought it about: an event, an execution. */
  readonly causationId: string | null
  /** Of `data`, from 1. */
  readonly schemaVersion: number
  readonly data: Readonly<Record<string, unknown>>
}

/** Appends events in the transaction of what they tell: both commit, or neither. Their order is that of a subject. */
export async function appendToOutbox(tx: Tx, ...events: readonly NewOutboxEvent[]): Promise<void> {
  if (events.length > 0) await tx.execute(outboxInsert(events))
}

/**
 * The same as a fragment, for a write that carries its event in one statement:
 * `` sql`with outbox as (${outboxInsert([event])}) update …` ``
 *
 * @throws {TypeError} without an event: there is no statement that inserts nothing
 */
export function outboxInsert(events: readonly NewOutboxEvent[]): SQL {
  if (events.length === 0) throw new TypeError('outboxInsert: there is no event to append')
  const rows = events.map(
    (event) => sql`(
      ${newId()}::uuid,
      ${event.type},
      ${event.source},
      ${event.subject},
      ${event.actorUserId}::uuid,
      ${event.correlationId},
      ${event.causationId},
      ${event.schemaVersion}::int,
      ${JSON.stringify(event.data)}::jsonb
    )`,
  )
  return sql`
    insert into core_audit.outbox_events (
      id, type, source, subject, actor_user_id, correlation_id, causation_id, schema_version, data
    )
    values ${sql.join(rows, sql`, `)}`
}
