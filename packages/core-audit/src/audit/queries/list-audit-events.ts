import { type SQL, sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { isUuid } from '../../http/contract.ts'
import { readCursor, takePage, writeCursor } from '../../http/paging.ts'
import { toInstant } from '../../instant.ts'
import type { AuditEvent } from '../contract.ts'
import { type IdRange, partitionRanges } from '../policy.ts'
import type { auditEvents } from '../schema.ts'
import type { AuditPartition } from './list-partitions.ts'

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

/** The id of a page's last event. */
const Position = v.tuple([v.pipe(v.string(), v.check(isUuid))])

/** A larger number would need fewer statements for old objects, and more locks for all others. */
const partitionsPerStatement = 4

/**
 * Returns one page of events, newest first. Reads only the page's range of the index `audit_events_by_target`, even in a
 * long history. However many partitions exist, a statement plans and locks four, and an object with few events needs one
 * statement for each four.
 *
 * @param partitions all partitions, newest first; they can be out of date
 * @throws {CoreError} request.invalid for a cursor of another timeline
 */
export async function listAuditEvents(
  db: Db,
  partitions: readonly AuditPartition[],
  query: ListAuditEvents,
): Promise<{ items: readonly StoredAuditEvent[]; nextCursor: string | null }> {
  const { kind, typeCode, id } = query.target
  const list = `audit/${kind}/${typeCode ?? ''}/${id}`
  const before = query.cursor === null ? null : readCursor(list, query.cursor, Position)[0].toLowerCase()
  const ranges = partitionRanges(partitions, before)
  const rows: Row[] = []
  for (let at = 0; at < ranges.length && rows.length <= query.limit; at += partitionsPerStatement) {
    const limit = query.limit + 1 - rows.length
    const parts = ranges
      .slice(at, at + partitionsPerStatement)
      .map((range) => newestOf(query, range, { before, limit }))
    rows.push(...(await db.execute<Row>(newestOfAll(parts, limit))))
  }
  const { items, last } = takePage(rows, query.limit)
  return {
    items: items.map(toEvent),
    nextCursor: last === null ? null : writeCursor(list, [last.id]),
  }
}

/**
 * Selects the newest events of one partition. The bounds are literals: with parameters, a prepared statement would plan
 * and lock every partition. In one select of several partitions, a plan for an average object can sort all events of a
 * large one.
 */
function newestOf(
  { target: { kind, typeCode, id }, modules }: ListAuditEvents,
  { firstId, endId }: IdRange,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): SQL {
  return sql`(
    select *
    from core_audit.audit_events
    where target_id = ${id}::uuid
      ${typeCode === null ? sql`` : sql`and target_type_code = ${typeCode}`}
      and target_kind = ${kind}
      and module = any(${sql.param(modules)}::text[])
      ${firstId === null ? sql`` : sql.raw(`and id >= '${firstId}'`)}
      ${endId === null ? sql`` : sql.raw(`and id < '${endId}'`)}
      ${before === null ? sql`` : sql`and id < ${before}::uuid`}
    order by id desc
    limit ${limit})`
}

const newestOfAll = (parts: readonly SQL[], limit: number): SQL => sql`
  select e.id, e.module, e.target_kind, e.target_type_code, e.target_id, e.action_code, e.occurred_at,
    e.actor_user_id, u.display_name, u.email, e.correlation_id, e.metadata, e.changes
  from (${sql.join([...parts], sql` union all `)}) e
  left join core_audit.users u on u.id = e.actor_user_id
  order by e.id desc
  limit ${limit}`

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
