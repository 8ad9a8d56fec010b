import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { type SQL, sql } from '../../database/sql.ts'
import { toInstant } from '../../instant.ts'
import type { AuditEvent } from '../contract.ts'
import { type IdRange, partitionRanges } from '../policy.ts'
import type { auditEvents } from '../schema.ts'
import { lastId as largestId, firstId as smallestId } from '../seal/event-ids.ts'
import type { AuditPartition } from './list-partitions.ts'

/** An event without its download, and the module that wrote the event. That module can add a download. */
export type StoredAuditEvent = Omit<AuditEvent, 'download'> & { readonly module: string }

/** A stored event with the name and the address of its actor. */
export type EventRow = RowOf<typeof auditEvents> & { display_name: string | null; email: string | null }

/**
 * A row of a range with a `filter`. Some rows that do not match are returned to tell how far the range was examined: one in the
 * middle, the last one that is examined, and those that are older than the range.
 */
type ExaminedRow = EventRow & {
  readonly is_match: boolean
  readonly is_last: boolean
  readonly is_older: boolean
}

/** The events with this value of a column are in an index in the order of their ids. */
export interface IndexedValue {
  readonly column: SQL
  readonly value: SQL
}

/** A part of the events, of which the newest are read. */
export interface EventRange {
  /** The condition of an event, for which an index exists. */
  readonly where: SQL
  /** A further condition, which may exclude any number of events. */
  readonly filter?: SQL | undefined
  /** Only events with smaller ids. */
  readonly before: string | null
  /** Only events with this id or a larger one. */
  readonly since: string | null
  /** The value whose index must be used. By default, any index. */
  readonly indexed?: IndexedValue | undefined
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
  range: Omit<EventRange, 'filter'>,
): Promise<readonly EventRow[]> {
  const rows: EventRow[] = []
  for (const statement of eventStatements(partitions, range)) {
    rows.push(...(await db.execute<EventRow>(statement(range.limit - rows.length))))
    if (rows.length >= range.limit) break
  }
  return rows
}

/** The events that one read of a filtered range has found, newest first. */
export interface FoundRows {
  readonly rows: readonly EventRow[]
  /** The newest and the oldest id that the read is known to have examined; `null` without events. */
  readonly newestId: string | null
  readonly oldestId: string | null
  /** Whether all events of the range were examined. Otherwise, the range continues before `oldestId`. */
  readonly isEnd: boolean
}

/**
 * How many events of a partition one read examines at most. It is a literal, because a plan for any number could sort all events
 * of the partition.
 */
const maxExamined = sql.raw('20000')
/** The event with this number is returned, too, because the ids of one event alone would not tell what was examined. */
const halfExamined = sql.raw('10000')

/**
 * Returns the newest events of the range that match its filter, like {@link readEvents}. It can end early, so that a filter that
 * excludes almost all events does not read a whole partition.
 */
export async function findEvents(
  db: Db,
  partitions: readonly AuditPartition[],
  range: EventRange & Required<Pick<EventRange, 'filter'>>,
): Promise<FoundRows> {
  const rows: ExaminedRow[] = []
  let isEnd = true
  for (const statement of eventStatements(partitions, range)) {
    const found = await db.execute<ExaminedRow>(statement(range.limit - rows.length))
    const olderIndex = found.findIndex(({ is_older }) => is_older)
    const inRange = olderIndex === -1 ? found : found.slice(0, olderIndex)
    // Rows after the last examined one are those of other partitions. The range continues before it.
    const lastIndex = inRange.findIndex(({ is_last }) => is_last)
    rows.push(...(lastIndex === -1 ? inRange : inRange.slice(0, lastIndex + 1)))
    isEnd = lastIndex === -1 && (olderIndex !== -1 || rows.length < range.limit)
    if (!isEnd) break
  }
  return {
    rows: rows.filter(({ is_match }) => is_match),
    newestId: rows[0]?.id ?? null,
    oldestId: rows.at(-1)?.id ?? null,
    isEnd,
  }
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
    return newestOfAll(parts, { ...range, limit })
  })
}

/**
 * Selects the newest events of one partition. The bounds are literals: with parameters, a prepared statement would plan
 * and lock every partition. In one select of several partitions, a plan for an average object can sort all events of a
 * large one.
 */
function newestOf({ firstId, endId }: IdRange, range: EventRange): SQL {
  const { where, filter, indexed, since, limit } = range
  const order = sql`order by ${indexed === undefined ? sql`` : sql`${indexed.column} desc, `}id desc`
  const events = sql`
    from core_audit.audit_events
    where ${where}
      ${firstId === null ? sql`` : sql.raw(`and id >= '${firstId}'`)}
      ${endId === null ? sql`` : sql.raw(`and id < '${endId}'`)}
      ${isInRange(range)}
    ${order}`
  if (filter === undefined) return sql`(select * ${events} limit ${limit})`
  const isOlder = indexed === undefined || since === null ? sql`false` : sql`id < ${since}::uuid`
  // PostgreSQL numbers the rows while it reads them, and ends with the last row of the result. Older rows end it soon.
  return sql`(
    select *, n = ${maxExamined} as is_last
    from (
      select *, ${filter} as is_match, ${isOlder} as is_older
      from (select *, row_number() over (${order}) as n ${events} limit ${maxExamined}) e
    ) e
    where is_match or is_older or n in (${halfExamined}, ${maxExamined})
    ${order}
    limit ${limit})`
}

/**
 * Returns the condition of the ids. With an indexed value, it compares places in that index, which also says that the column has
 * the value. With `=`, PostgreSQL could read all events in the order of their ids, or expect few between two unknown ids and sort
 * all of them. Either takes seconds for a rare value. The lower bound is that of the value, because PostgreSQL 15 to 17 would not
 * end the scan at a place within it: see `is_older`.
 */
function isInRange({ indexed, before, since }: EventRange): SQL {
  if (indexed === undefined)
    return sql`${before === null ? sql`` : sql`and id < ${before}::uuid`}
      ${since === null ? sql`` : sql`and id >= ${since}::uuid`}`
  const place = sql`(${indexed.column}, id)`
  const placeOf = (id: string) => sql`(${indexed.value}, ${id}::uuid)`
  return sql`and ${place} < ${placeOf(before ?? largestId)} and ${place} >= ${placeOf(smallestId)}`
}

const newestOfAll = (
  parts: readonly SQL[],
  { filter, limit }: Pick<EventRange, 'filter' | 'limit'>,
): SQL => sql`
  select ${filter === undefined ? sql`` : sql`e.is_match, e.is_last, e.is_older, `}e.id, e.module, e.target_kind, e.target_type_code, e.target_id, e.action_code, e.occurred_at,
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
