import * as v from 'valibot'
import type { Caller } from '../../access/caller.ts'
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import { isUuid } from '../../http/contract.ts'
import { readCursor, writeCursor } from '../../http/paging.ts'
import type { ActivityContent, ActivityQuery, ActivitySource } from '../../objects/activity-source.ts'
import type { BusinessObjectReference } from '../../objects/contract.ts'
import { type ActivityType, activityTypes } from '../contract.ts'
import { mergeNewest } from '../merge-newest.ts'
import { idAfter, idAt } from '../seal/event-ids.ts'
import { ofTarget } from './list-audit-events.ts'
import type { AuditPartition } from './list-partitions.ts'
import { type EventRow, eventStatements, type StoredAuditEvent, toEvent } from './read-events.ts'
import { duringRange, type EventFilters, endIdOf, firstIdOf } from './search-audit-events.ts'

export interface ListActivity {
  readonly caller: Caller
  readonly target: BusinessObjectReference
  /** The modules of the listed events; null without events. */
  readonly modules: readonly string[] | null
  readonly sources: readonly ActivitySource[]
  readonly filters: Pick<EventFilters, 'actor' | 'fromUtc' | 'untilUtc'>
  /** Identifies the list of a cursor. */
  readonly list: string
  readonly limit: number
  readonly cursor: string | null
}

/** An entry of the page: an event, or the content of a source. */
export type StoredEntry = Pick<ActivityContent, 'id' | 'occurredAtUtc'> & { readonly type: ActivityType } & (
    | { readonly event: StoredAuditEvent }
    | { readonly content: ActivityContent }
  )

/** The order of the positions in a cursor. */
const types: readonly ActivityType[] = Object.values(activityTypes)

/** The id of the next entry of each type; an empty text if no further entry exists. */
const Position = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.check((id) => id === '' || isUuid(id)),
    ),
  ),
  v.length(types.length),
)

type Row = { readonly type: ActivityType; readonly row: never }

/**
 * Returns one page of everything that happened to an object, newest first. One statement reads a range of one index for
 * each type, each with one row more than the page. Only events of more than four partitions need further statements, and sources
 * that complete their contents.
 *
 * Each type continues at its own next entry. So no page repeats or skips an entry, and none shows an entry whose id was created
 * after the first page. A file has the id of its upload, so it can appear on a later page if it becomes ready after the first one.
 */
export async function listActivity(
  db: Db,
  partitions: readonly AuditPartition[],
  query: ListActivity,
): Promise<{ readonly items: readonly StoredEntry[]; readonly nextCursor: string | null }> {
  const { sources, limit, cursor } = query
  const starts = cursor === null ? null : readCursor(query.list, cursor, Position)
  const startOf = (type: ActivityType) => (starts === null ? null : (starts[types.indexOf(type)] ?? ''))
  const isListed = (type: ActivityType) => startOf(type) !== ''
  const [first, ...more] = isListed('audit') ? eventsOf(partitions, query, startOf('audit')) : []
  const parts = [
    ...(first === undefined ? [] : [partOf('audit', first(limit + 1))]),
    ...sources
      .filter(({ type }) => isListed(type))
      .map((source) => partOf(source.type, source.select(sourceQuery(query, startOf(source.type))))),
  ]
  const rows = parts.length === 0 ? [] : [...(await db.execute<Row>(sql.join(parts, sql` union all `)))]
  for (const statement of more) {
    const count = rows.filter(({ type }) => type === 'audit').length
    if (count > limit) break
    rows.push(...(await db.execute<Row>(partOf('audit', statement(limit + 1 - count)))))
  }
  const entries = rows.map((row) => toEntry(row, sources))
  const lists = types.map((type) => entries.filter((entry) => entry.type === type).sort(byId))
  const { items, next } = mergeNewest(lists, limit)
  const isLast = next.every((entry) => entry === undefined)
  return {
    items: await completeAll(db, query, items),
    nextCursor: isLast
      ? null
      : writeCursor(
          query.list,
          next.map((entry) => entry?.id ?? ''),
        ),
  }
}

/** Lets each source complete its contents of the page. */
async function completeAll(
  db: Db,
  { caller, sources }: Pick<ListActivity, 'caller' | 'sources'>,
  items: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  const completed = new Map<ActivityContent, ActivityContent['content'] | undefined>()
  const contents = items.flatMap((entry) => ('content' in entry ? [entry] : []))
  for (const source of sources) {
    const own = contents.filter(({ type }) => type === source.type).map(({ content }) => content)
    if (own.length === 0) continue
    const complete = await source.complete?.(db, caller, own.map(({ content }) => content) as never[])
    for (const [index, content] of own.entries()) completed.set(content, complete?.[index])
  }
  return items.map((entry) => {
    if (!('content' in entry)) return entry
    const { content } = entry
    return { ...entry, content: { ...content, content: completed.get(content) ?? content.content } }
  })
}

/** Newest first: the order in which each part was read. */
const byId = (one: StoredEntry, other: StoredEntry): number => (one.id < other.id ? 1 : -1)

const partOf = (type: ActivityType, select: SQL): SQL => sql`
  select ${type} as type, to_json(r) as row from (${select}) r`

function eventsOf(
  partitions: readonly AuditPartition[],
  { target, modules, filters }: ListActivity,
  start: string | null,
) {
  if (modules === null) return []
  const { actor } = filters
  return eventStatements(partitions, {
    where: sql`${ofTarget(target)} and module = any(${sql.param(modules)}::text[])
      ${actor === undefined ? sql`` : sql`and actor_user_id = ${actor}::uuid`}
      ${duringRange(filters)}`,
    before: start === null ? endIdOf(filters) : idAfter(start),
    since: firstIdOf(filters),
  })
}

/** Ids that a host creates have its measurement of the database's clock, which can differ from the time of the row. */
const clockErrorMs = 1_000

function sourceQuery({ caller, target, filters, limit }: ListActivity, start: string | null): ActivityQuery {
  const { fromUtc, untilUtc } = filters
  const [from, until] = [fromUtc, untilUtc].map((instant) =>
    instant === undefined ? null : Date.parse(instant),
  )
  return {
    ...{ caller, target, limit: limit + 1, actorUserId: filters.actor ?? null },
    within({ id, at }) {
      const errorMs = at === undefined ? 0 : clockErrorMs
      // An id can be much older than the time of its row, because server code stores a file before it attaches the file.
      const isFromId = at === undefined && from !== null && from !== undefined
      return sql`
      ${start === null ? sql`` : sql`and ${id} <= ${start}::uuid`}
      ${isFromId ? sql`and ${id} >= ${idAt(from)}::uuid` : sql``}
      ${until === null || until === undefined ? sql`` : sql`and ${id} < ${idAt(until + errorMs)}::uuid`}
      ${at === undefined || fromUtc === undefined ? sql`` : sql`and ${at} >= ${fromUtc}::timestamptz`}
      ${at === undefined || untilUtc === undefined ? sql`` : sql`and ${at} < ${untilUtc}::timestamptz`}`
    },
  }
}

function toEntry({ type, row }: Row, sources: readonly ActivitySource[]): StoredEntry {
  if (type === 'audit') {
    const event = toEvent(row as EventRow)
    const { id, occurredAtUtc } = event
    return { type, id, occurredAtUtc, event }
  }
  const source = sources.find((one) => one.type === type) as ActivitySource
  const content = source.toContent(row)
  const { id, occurredAtUtc } = content
  return { type, id, occurredAtUtc, content }
}
