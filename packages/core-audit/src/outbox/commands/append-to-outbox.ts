import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import { newId } from '../../new-id.ts'
import { activeTraceparent } from '../../telemetry/spans.ts'

/**
 * An event to append, in the shape of CloudEvents. The id and the time are set when the event is appended. An event must
 * never contain a credential, a storage key or a signed URL.
 *
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
 */
export interface NewOutboxEvent {
  /** The type of the event, such as `document.action.completed`. */
  readonly type: string
  /** The package that appends the event. */
  readonly source: string
  /**
   * The object of the event, such as `document/<type>/<id>`. Events of one subject are handled in order, so append while
   * you hold the subject's lock.
   */
  readonly subject: string
  /** `null` when the service itself is the author. */
  readonly actorUserId: string | null
  readonly correlationId: string | null
  /** The id of the cause of the event: of another event or an execution. */
  readonly causationId: string | null
  /** The version of the shape of `data`, starting at 1. */
  readonly schemaVersion: number
  readonly data: Readonly<Record<string, unknown>>
}

/** Appends events in the transaction of the change that they describe: both commit, or neither commits. */
export async function appendToOutbox(tx: Tx, ...events: readonly NewOutboxEvent[]): Promise<void> {
  if (events.length > 0) await tx.send(outboxInsert(events))
}

/**
 * Returns the insert as an SQL fragment, for a write that changes a row and appends its event in one statement:
 * `` sql`with outbox as (${outboxInsert([event])}) update …` ``
 *
 * If OpenTelemetry traces the caller, the rows contain its trace context.
 *
 * @throws {TypeError} when `events` is empty, because an insert needs at least one row
 */
export function outboxInsert(events: readonly NewOutboxEvent[]): SQL {
  if (events.length === 0) throw new TypeError('outboxInsert: expected at least one event')
  const traceparent = activeTraceparent()
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
      ${JSON.stringify(event.data)}::jsonb,
      ${traceparent}
    )`,
  )
  return sql`
    insert into core_audit.outbox_events (
      id, type, source, subject, actor_user_id, correlation_id, causation_id, schema_version, data, traceparent
    )
    values ${sql.join(rows, sql`, `)}`
}
