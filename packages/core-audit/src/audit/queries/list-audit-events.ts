import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { isUuid } from '../../http/contract.ts'
import { readCursor, takePage, writeCursor } from '../../http/paging.ts'
import { isStoredInstant, toInstant } from '../../instant.ts'
import type { AuditEvent } from '../contract.ts'
import type { auditEvents } from '../schema.ts'

/** The stored target of the listed events. */
export interface AuditTarget {
  readonly kind: string
  /** `null` matches every type of the kind. */
  readonly typeCode: string | null
  readonly id: string
}

export interface ListAuditEvents {
  readonly target: AuditTarget
  /** Only events of these modules are listed. Events of other modules are excluded before paging. */
  readonly modules: readonly string[]
  readonly limit: number
  readonly cursor: string | null
}

/** An event without its download, and the module that wrote the event. That module can add a download. */
export type StoredAuditEvent = Omit<AuditEvent, 'download'> & { readonly module: string }

type Row = RowOf<typeof auditEvents> & { display_name: string | null; email: string | null }

/** The timestamp and the id of a page's last event. The timestamp is PostgreSQL's text, with microseconds. */
const Position = v.tuple([v.pipe(v.string(), v.check(isStoredInstant)), v.pipe(v.string(), v.check(isUuid))])

/**
 * Returns one page of events, newest first. With a type code, reads only the page's range of the index
 * `audit_events_by_target`, even in a long history. Without a type code, reads and sorts all events of the id.
 * @throws {CoreError} request.invalid for a cursor of another timeline
 */
export async function listAuditEvents(
  db: Db,
  query: ListAuditEvents,
): Promise<{ items: readonly StoredAuditEvent[]; nextCursor: string | null }> {
  const { kind, typeCode, id } = query.target
  const list = `audit/${kind}/${typeCode ?? ''}/${id}`
  const ofType = typeCode === null ? sql`` : sql`and e.target_type_code = ${typeCode}`
  const position = query.cursor === null ? null : readCursor(list, query.cursor, Position)
  const after =
    position === null
      ? sql``
      : sql`and (e.occurred_at, e.id) < (${position[0]}::timestamptz, ${position[1]}::uuid)`
  const rows = await db.execute<Row>(sql`
    select e.id, e.module, e.target_kind, e.target_type_code, e.target_id, e.action_code, e.occurred_at,
      e.actor_user_id, u.display_name, u.email, e.correlation_id, e.metadata, e.changes
    from core_audit.audit_events e
    left join core_audit.users u on u.id = e.actor_user_id
    where e.target_id = ${id}::uuid
      ${ofType}
      and e.target_kind = ${kind}
      and e.module = any(${sql.param(query.modules)}::text[])
      ${after}
    order by e.occurred_at desc, e.id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return {
    items: items.map(toEvent),
    nextCursor: last === null ? null : writeCursor(list, [last.occurred_at, last.id]),
  }
}

function toEvent(row: Row): StoredAuditEvent {
  return {
    id: row.id,
    module: row.module,
    target: { kind: row.target_kind, typeCode: row.target_type_code, id: row.target_id },
    actionCode: row.action_code,
    occurredAtUtc: toInstant(row.occurred_at),
    actor:
      row.actor_user_id === null
        ? null
        : { userId: row.actor_user_id, displayName: row.display_name ?? '', email: row.email },
    correlationId: row.correlation_id,
    metadata: row.metadata,
    changes: row.changes,
  }
}
