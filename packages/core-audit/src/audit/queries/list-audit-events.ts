import * as v from 'valibot'
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import { isUuid } from '../../http/contract.ts'
import { readCursor, takePage, writeCursor } from '../../http/paging.ts'
import type { AuditPartition } from './list-partitions.ts'
import { readEvents, type StoredAuditEvent, toEvent } from './read-events.ts'
import { duringRange, type EventFilters, endIdOf, firstIdOf, hasFilters } from './search-audit-events.ts'

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
  readonly filters?: TargetFilters | undefined
  readonly limit: number
  readonly cursor: string | null
}

/** The filters of one object's events. */
export type TargetFilters = Pick<EventFilters, 'actor' | 'fromUtc' | 'untilUtc'>

/** A page of events, without what depends on the reader. */
export interface StoredEventPage {
  readonly items: readonly StoredAuditEvent[]
  readonly nextCursor: string | null
}

/** The id before which the next page starts. */
const Position = v.tuple([v.pipe(v.string(), v.check(isUuid))])

/**
 * Returns one page of events, newest first. Without a filter by actor, reads only the page's range of the index
 * `audit_events_by_target`, even in a long history.
 *
 * @param partitions all partitions, newest first; they can be out of date
 * @throws {CoreError} request.invalid for a cursor of another timeline
 */
export async function listAuditEvents(
  db: Db,
  partitions: readonly AuditPartition[],
  { target, modules, filters = {}, limit, cursor }: ListAuditEvents,
): Promise<StoredEventPage> {
  const { actor, fromUtc, untilUtc } = filters
  const filterKey = hasFilters(filters) ? `?${JSON.stringify([actor, fromUtc, untilUtc])}` : ''
  const list = `audit/${target.kind}/${target.typeCode ?? ''}/${target.id}${filterKey}`
  const rows = await readEvents(db, partitions, {
    where: sql`${ofTarget(target)} and module = any(${sql.param(modules)}::text[])
      ${actor === undefined ? sql`` : sql`and actor_user_id = ${actor}::uuid`}
      ${duringRange(filters)}`,
    ...{
      before: readPosition(list, cursor) ?? endIdOf(filters),
      since: firstIdOf(filters),
      limit: limit + 1,
    },
  })
  const { items, last } = takePage(rows, limit)
  return { items: items.map(toEvent), nextCursor: last === null ? null : writeCursor(list, [last.id]) }
}

/**
 * Returns the id in a cursor of this list; `null` without a cursor. The page contains only events with smaller ids.
 * @throws {CoreError} request.invalid for a cursor of another list
 */
export const readPosition = (list: string, cursor: string | null): string | null =>
  cursor === null ? null : readCursor(list, cursor, Position)[0].toLowerCase()

/** Returns the condition that an event is about the target. */
export const ofTarget = ({ kind, typeCode, id }: AuditTarget): SQL => sql`target_id = ${id}::uuid
      ${typeCode === null ? sql`` : sql`and target_type_code = ${typeCode}`}
      and target_kind = ${kind}`
