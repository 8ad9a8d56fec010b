import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { BusinessObjectReference } from '../../objects/contract.ts'
import { idAt } from '../seal/event-ids.ts'
import { securityActions, securityModule, storedSecurityType } from '../security-events.ts'
import type { AuditPartition } from './list-partitions.ts'
import {
  type FoundRows,
  findEvents,
  type IndexedValue,
  type StoredAuditEvent,
  toEvent,
} from './read-events.ts'

/** The filters of a search. `undefined` disables a filter. Instants have the wire format. */
export interface EventFilters {
  readonly actor?: string | undefined
  readonly actionCode?: string | undefined
  readonly typeCode?: string | undefined
  /** The first instant of the range. */
  readonly fromUtc?: string | undefined
  /** The end of the range, which does not belong to it. */
  readonly untilUtc?: string | undefined
}

export interface SearchAuditEvents {
  readonly filters: EventFilters
  /** The types of business objects whose events are found. */
  readonly types: readonly Pick<BusinessObjectReference, 'kind' | 'typeCode'>[]
  readonly modules: readonly string[]
  /** Only events with smaller ids are found; `null` means that there is no bound. */
  readonly before: string | null
  readonly limit: number
}

/** Returns whether a list can be empty although there are events. */
export const hasFilters = (filters: Partial<EventFilters>): boolean =>
  Object.values(filters).some((filter) => filter !== undefined)

/** Identifies the list of a search's cursor. */
export const listOfSearch = ({ actor, actionCode, typeCode, fromUtc, untilUtc }: EventFilters): string =>
  JSON.stringify(
    ['audit/search', actor, actionCode, typeCode, fromUtc, untilUtc].map((filter) => filter ?? null),
  )

/** A part of the events of a search, newest first, and how far the search has examined the others. */
export interface FoundEvents extends Omit<FoundRows, 'rows'> {
  readonly events: readonly StoredAuditEvent[]
}

/**
 * Finds events about all objects, newest first, also about single objects that the caller may not read. The time range limits
 * the partitions and the range of ids. Each other filter has an index with the events of a value in the order of their ids:
 * `audit_events_by_actor`, `audit_events_by_action` and `audit_events_by_type`. With several filters, the first of these
 * indexes is used. The others, and the modules and types, can exclude many events, so a search can end early: see `isEnd`.
 *
 * @param partitions all partitions, newest first; they can be out of date
 */
export async function searchAuditEvents(
  db: Db,
  partitions: readonly AuditPartition[],
  { filters, types, modules, before, limit }: SearchAuditEvents,
): Promise<FoundEvents> {
  const { typeCode } = filters
  // All events of another type are hidden. The search must not read them.
  if (typeCode !== undefined && storedSecurityType(typeCode) === undefined && !types.some(isOfType(typeCode)))
    return { events: [], newestId: null, oldestId: null, isEnd: true }
  const until = endIdOf(filters)
  const [indexed, ...others] = indexedValues(filters)
  const { rows, ...examined } = await findEvents(db, partitions, {
    indexed,
    where: withSecurityActions(typeCode),
    filter: sql`${canBeVisible(types, modules)}
      ${sql.join(others.map(({ column, value }) => sql`and ${column} = ${value} `))}
      ${ofSecurityKind(typeCode)}
      ${duringRange(filters)}`,
    before: before !== null && (until === null || before < until) ? before : until,
    since: firstIdOf(filters),
    limit,
  })
  return { events: rows.map(toEvent), ...examined }
}

/** Returns the filters that have an index. */
function indexedValues({ actor, actionCode, typeCode }: EventFilters): readonly IndexedValue[] {
  const storedTypeCode = typeCode === undefined ? null : storedTypeOf(typeCode).typeCode
  return [
    ...(actor === undefined ? [] : [{ column: sql`actor_user_id`, value: sql`${actor}::uuid` }]),
    ...(actionCode === undefined ? [] : [{ column: sql`action_code`, value: sql`${actionCode}` }]),
    ...(storedTypeCode === null ? [] : [{ column: sql`target_type_code`, value: sql`${storedTypeCode}` }]),
  ]
}

/**
 * Maximum difference between the time of an event and that of its id. An event has its time a moment after its id. The id can
 * also be later than the time: `uuidv7()` of PostgreSQL 18 continues to ascend in a session after the clock went back.
 */
const idErrorMs = 1_000

/** Returns the smallest possible id of an event in the range; `null` without a start. */
export const firstIdOf = ({ fromUtc }: Pick<EventFilters, 'fromUtc'>): string | null =>
  fromUtc === undefined ? null : idAt(Date.parse(fromUtc) - idErrorMs)

/** Returns an id that is larger than the ids of all events in the range; `null` without an end. */
export const endIdOf = ({ untilUtc }: Pick<EventFilters, 'untilUtc'>): string | null =>
  untilUtc === undefined ? null : idAt(Date.parse(untilUtc) + idErrorMs)

/** Returns the condition that an event belongs to the range. The bounds of the ids are not exact. */
export const duringRange = ({ fromUtc, untilUtc }: Pick<EventFilters, 'fromUtc' | 'untilUtc'>): SQL => sql`
      ${fromUtc === undefined ? sql`` : sql`and occurred_at >= ${fromUtc}::timestamptz`}
      ${untilUtc === undefined ? sql`` : sql`and occurred_at < ${untilUtc}::timestamptz`}`

/** Events of the kernel itself are about roles, users, outbox events and partitions. */
const canBeVisible = (types: SearchAuditEvents['types'], modules: readonly string[]): SQL => sql`(
        module = ${securityModule}
        or module = any(${sql.param(modules)}::text[])
        and target_kind || '/' || target_type_code
          = any(${sql.param(types.map(({ kind, typeCode }) => `${kind}/${typeCode}`))}::text[])
      )`

const isOfType = (code: string) => (type: Pick<BusinessObjectReference, 'typeCode'>) => type.typeCode === code

const storedTypeOf = (code: string) => storedSecurityType(code) ?? { typeCode: code }

/**
 * Limits the actions if the stored types of a security type differ. They are literals, so PostgreSQL knows how rare they are,
 * and reads their few events with `audit_events_by_action`.
 */
function withSecurityActions(typeCode: string | undefined): SQL {
  const actions = typeCode === undefined ? undefined : securityActions(typeCode)
  return actions === undefined ? sql`true` : sql.raw(`action_code in ('${actions.join("', '")}')`)
}

function ofSecurityKind(typeCode: string | undefined): SQL {
  const kind = typeCode === undefined ? undefined : storedSecurityType(typeCode)?.kind
  return kind === undefined ? sql`` : sql`and target_kind = ${kind}`
}
