import type { Db } from '../../../database/database.ts'
import { sql } from '../../../database/sql.ts'
import { contentHash, eventMark, eventsHash, sealHash } from '../hashes.ts'
import type { MarkedEvent } from './difference.ts'

/** A stored seal, without its marks. */
export interface StoredSeal {
  readonly sequence: number
  readonly firstEventId: string
  readonly lastEventId: string
  readonly eventCount: number
  readonly eventsHash: string
  readonly hash: string
  /** The hash that follows from the other columns and from the stored hash of the seal before it. */
  readonly expectedHash: string
}

export interface ReadSeals {
  readonly fromSequence: number
  /** The hash of the seal before; empty for the first seal. */
  readonly previousHash: string
  readonly limit: number
}

type SealRow = {
  sequence: string
  first_event_id: string
  last_event_id: string
  event_count: number
  events_hash: string
  hash: string
  expected_hash: string
}

/**
 * Returns a page of seals in order of `audit_seals_pkey`. If the key is missing, the page also has every seal with the number of
 * its last one. `only`: the rows of tables that inherit from the seals are not seals.
 */
export async function readSeals(db: Db, page: ReadSeals): Promise<readonly StoredSeal[]> {
  const rows = await db.execute<SealRow>(sql`
    select s.sequence, s.first_event_id, s.last_event_id, s.event_count, encode(s.events_hash, 'hex') as events_hash,
      encode(s.hash, 'hex') as hash, encode(${sealHash}, 'hex') as expected_hash
    from (
      select *, coalesce(lag(hash) over (order by sequence), decode(${page.previousHash}, 'hex')) as previous_hash
      from only core_audit.audit_seals
      where sequence >= ${page.fromSequence}::bigint
      order by sequence
      fetch first (${page.limit}::int) rows with ties
    ) s
    order by s.sequence`)
  return rows.map((row) => ({
    sequence: Number(row.sequence),
    firstEventId: row.first_event_id,
    lastEventId: row.last_event_id,
    eventCount: row.event_count,
    eventsHash: row.events_hash,
    hash: row.hash,
    expectedHash: row.expected_hash,
  }))
}

/** A range of ids, including both, and the maximum number of events to read. */
export interface EventRange {
  readonly fromId: string
  readonly toId: string
  readonly limit: number
}

/** The events of a range, as {@link StoredSeal} describes them. */
export interface FoundEvents {
  readonly eventCount: number
  readonly eventsHash: string
}

const eventsOf = sql`
  select e.id, ${contentHash} as content_hash
  from core_audit.audit_events e
  where e.id >= r.from_id and e.id <= r.to_id
  order by e.id
  limit r.max_count`

/** Counts and hashes the events of each range, in one statement. Reads the primary key of the events. */
export async function hashEvents(db: Db, ranges: readonly EventRange[]): Promise<readonly FoundEvents[]> {
  const rows = await db.execute<{ event_count: number; events_hash: string }>(sql`
    select found.event_count, encode(found.events_hash, 'hex') as events_hash
    from unnest(
      ${sql.param(ranges.map(({ fromId }) => fromId))}::uuid[],
      ${sql.param(ranges.map(({ toId }) => toId))}::uuid[],
      ${sql.param(ranges.map(({ limit }) => limit))}::int[]
    ) with ordinality as r (from_id, to_id, max_count, place)
    cross join lateral (
      select count(*)::int as event_count, ${eventsHash} as events_hash from (${eventsOf}) found
    ) found
    order by r.place`)
  return rows.map((row) => ({ eventCount: row.event_count, eventsHash: row.events_hash }))
}

/** Returns the marks of the events of a range, in order. */
export async function markEvents(
  db: Db,
  { fromId, toId, limit }: EventRange,
): Promise<readonly MarkedEvent[]> {
  const rows = await db.execute<{ id: string; mark: string }>(sql`
    select found.id, encode(${eventMark}, 'hex') as mark
    from (select ${fromId}::uuid as from_id, ${toId}::uuid as to_id, ${limit}::int as max_count) r
    cross join lateral (${eventsOf}) found
    order by found.id`)
  return rows.map(({ id, mark }) => ({ id, mark }))
}

/** Returns the stored marks of a seal, in order. */
export async function readMarks(db: Db, sequence: number): Promise<readonly string[]> {
  const [row] = await db.execute<{ marks: string }>(sql`
    select encode(event_marks, 'hex') as marks from only core_audit.audit_seals where sequence = ${sequence}::bigint`)
  return row?.marks.match(/.{24}/g) ?? []
}

/** The number and the stored hash of a seal. */
export type SealHash = Pick<StoredSeal, 'sequence' | 'hash'>

/** Returns the stored hashes of the given seals: several of one number if the primary key is missing. */
export async function readSealHashes(db: Db, sequences: readonly number[]): Promise<readonly SealHash[]> {
  const rows = await db.execute<{ sequence: string; hash: string }>(sql`
    select sequence, encode(hash, 'hex') as hash
    from only core_audit.audit_seals
    where sequence = any(${sql.param(sequences)}::bigint[])`)
  return rows.map(({ sequence, hash }) => ({ sequence: Number(sequence), hash }))
}

/** Returns the number of events after `afterId`, at most `limit`, and the id of the first one. */
export async function countEventsAfter(db: Db, afterId: string | null, limit: number) {
  const after = afterId === null ? sql`` : sql`where id > ${afterId}::uuid`
  const [row] = await db.execute<{ event_count: number; first_id: string | null }>(sql`
    select count(*)::int as event_count, (array_agg(id order by id))[1] as first_id
    from (select id from core_audit.audit_events ${after} order by id limit ${limit}::int) newer`)
  return { eventCount: row?.event_count ?? 0, firstId: row?.first_id ?? null }
}
