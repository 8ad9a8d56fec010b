import { type SQL, sql } from 'drizzle-orm/sql'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { toInstant } from '../../instant.ts'
import type { AuditEvent } from '../contract.ts'
import { type IdRange, partitionRanges } from '../policy.ts'
import type { auditEvents } from '../schema.ts'
import type { AuditPartition } from './list-partitions.ts'

/** An event without its download, and the module that wrote the event. That module can add a download. */
export type StoredAuditEvent = Omit<AuditEvent, 'download'> & { readonly module: string }

/** A stored event with the name and the address of its actor. */
export type EventRow = RowOf<typeof auditEvents> & { display_name: string | null; email: string | null }

/** A part of the events, of which the newest are read. */
export interface EventRange {
  /** The condition of an event. */
  readonly where: SQL
  /** Only events with smaller ids. */
  readonly before: string | null
  /** Only events with this id or a larger one. */
  readonly since: string | null
  /** The first column of the index that must be used. `where` limits the column to one value. By default, any index. */
  readonly indexedBy?: SQL | undefined
  readonly limit: number
}

/** A larger number would need fewer statements for old objects, and more locks for all others. */
const partitionsPerStatement = 4

/**
 * Returns the newest events of the range. However many partitions exist, a statement plans and locks four, and a range with
 * few events needs one statement for each four.
 *
 * @param partitions all partitions, newest first; they can be out of date
 */
export async function readEvents(
  db: Db,
  partitions: readonly AuditPartition[],
  range: EventRange,
): Promise<readonly EventRow[]> {
  const rows: EventRow[] = []
  for (const statement of eventStatements(partitions, range)) {
    rows.push(...(await db.execute<EventRow>(statement(range.limit - rows.length))))
    if (rows.length >= range.limit) break
  }
  return rows
}

/** Returns the statements that {@link readEvents} runs until it has enough rows. Each receives the number of rows to read. */
export function eventStatements(
  partitions: readonly AuditPartition[],
  range: Omit<EventRange, 'limit'>,
): readonly ((limit: number) => SQL)[] {
  const ranges = partitionRanges(partitions, range.before, range.since)
  const groups = Array.from({ length: Math.ceil(ranges.length / partitionsPerStatement) }, (_, index) =>
    ranges.slice(index * partitionsPerStatement, (index + 1) * partitionsPerStatement),
  )
  return groups.map((group) => (limit: number) => {
    const parts = group.map((ids) => newestOf(ids, { ...range, limit }))
    return newestOfAll(parts, limit)
  })
}

/**
 * Selects the newest events of one partition. The bounds are literals: with parameters, a prepared statement would plan
 * and lock every partition. In one select of several partitions, a plan for an average object can sort all events of a
 * large one.
 */
function newestOf({ firstId, endId }: IdRange, { where, before, since, indexedBy, limit }: EventRange): SQL {
  return sql`(
    select *
    from core_audit.audit_events
    where ${where}
      ${firstId === null ? sql`` : sql.raw(`and id >= '${firstId}'`)}
      ${endId === null ? sql`` : sql.raw(`and id < '${endId}'`)}
      ${before === null ? sql`` : sql`and id < ${before}::uuid`}
      ${since === null ? sql`` : sql`and id >= ${since}::uuid`}
    order by ${indexedBy === undefined ? sql`` : sql`${indexedBy} desc, `}id desc
    limit ${limit})`
}

const newestOfAll = (parts: readonly SQL[], limit: number): SQL => sql`
  select e.id, e.module, e.target_kind, e.target_type_code, e.target_id, e.action_code, e.occurred_at,
    e.actor_user_id, u.display_name, u.email, e.correlation_id, e.metadata, e.changes
  from (${sql.join([...parts], sql` union all `)}) e
  left join core_audit.users u on u.id = e.actor_user_id
  order by e.id desc
  limit ${limit}`

/** Converts a row to an event of the wire format, without its download. */
export function toEvent(row: EventRow): StoredAuditEvent {
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
