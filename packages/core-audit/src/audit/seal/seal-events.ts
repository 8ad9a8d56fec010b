import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { contentHash, eventMark, eventsHash, sealHash } from './hashes.ts'

/** Returns whether this transaction is the one that seals. Until it ends, no other replica can seal. Does not wait. */
export async function takeSealingTurn(tx: Tx): Promise<boolean> {
  const [turn] = await tx.execute<{ is_ours: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended('vertical-kit.audit-seal', 0)) as is_ours`)
  return turn?.is_ours === true
}

/** The newest seal, which the next one continues. */
export interface NewestSeal {
  readonly sequence: number
  readonly hash: string
  readonly lastEventId: string
}

/** Returns the newest seal, or `null` if there is none. */
export async function findNewestSeal(tx: Tx): Promise<NewestSeal | null> {
  const [newest] = await tx.execute<{ sequence: string; hash: string; last_event_id: string }>(sql`
    select sequence, encode(hash, 'hex') as hash, last_event_id
    from core_audit.audit_seals
    order by sequence desc
    limit 1`)
  if (newest === undefined) return null
  return { sequence: Number(newest.sequence), hash: newest.hash, lastEventId: newest.last_event_id }
}

export interface SealEvents {
  readonly newest: NewestSeal | null
  /** Only events with smaller ids are sealed. No transaction can still commit one of them. */
  readonly belowId: string
  readonly maxEventCount: number
}

/**
 * Adds the next seal, for the events after the newest one in order of their ids. Returns the new seal, or `null` if there are
 * no such events. Requires the turn of {@link takeSealingTurn}.
 *
 * A seal never spans two partitions (`tableoid`), so that its events are all present, or were all dropped with their partition.
 */
export async function sealEvents(
  tx: Tx,
  { newest, belowId, maxEventCount }: SealEvents,
): Promise<NewestSeal | null> {
  const after = newest === null ? sql`` : sql`and e.id > ${newest.lastEventId}::uuid`
  const [added] = await tx.execute<{ sequence: string; hash: string; last_event_id: string }>(sql`
    with due as materialized (
      select e.id, e.tableoid as partition, ${contentHash} as content_hash
      from core_audit.audit_events e
      where e.id < ${belowId}::uuid ${after}
      order by e.id
      limit ${maxEventCount}::int
    ), batch as (
      select id, content_hash from due where partition = (select partition from due order by id limit 1)
    ), s as materialized (
      select ${(newest?.sequence ?? 0) + 1}::bigint as sequence,
        decode(${newest?.hash ?? ''}, 'hex') as previous_hash,
        (array_agg(id order by id))[1] as first_event_id,
        (array_agg(id order by id desc))[1] as last_event_id,
        count(*)::int as event_count,
        ${eventsHash} as events_hash,
        string_agg(${eventMark}, ''::bytea order by id) as event_marks,
        clock_timestamp() as sealed_at
      from batch
    )
    insert into core_audit.audit_seals
      (sequence, first_event_id, last_event_id, event_count, events_hash, event_marks, sealed_at, hash)
    select sequence, first_event_id, last_event_id, event_count, events_hash, event_marks, sealed_at, ${sealHash}
    from s
    where event_count > 0
    returning sequence, encode(hash, 'hex') as hash, last_event_id`)
  if (added === undefined) return null
  return { sequence: Number(added.sequence), hash: added.hash, lastEventId: added.last_event_id }
}
