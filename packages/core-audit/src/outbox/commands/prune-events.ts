import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { OutboxRetentionConfig } from '../config.ts'

/** The result of one batch. */
export interface PrunedBatch {
  readonly prunedCount: number
  /** The position after which the next batch must continue; `null` after the last one. */
  readonly next: string | null
}

/**
 * Deletes events, with their deliveries and attempts, when the retention has passed since every consumer finished them.
 * Also deletes old events without any delivery. Pending and dead deliveries stay, regardless of their age.
 *
 * Reads one batch of events after the position `after`, in the order of `outbox_events_position_key`, so that a cycle reads
 * no event twice, even if the event must stay. Positions are nearly in the order of time, so a cycle ends at a batch of only
 * young events. Events with a future time, from a moment in which the clock of the database was ahead, do not end it. When
 * their time has come, a whole batch of them delays the events after it until it is old itself. Only one replica prunes at a
 * time; other replicas return without work.
 */
export async function pruneEvents(
  tx: Tx,
  config: Required<OutboxRetentionConfig>,
  after: string,
): Promise<PrunedBatch> {
  const [turn] = await tx.execute<{ is_ours: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended('vertical-kit.outbox-retention', 0)) as is_ours`)
  if (turn?.is_ours !== true) return { prunedCount: 0, next: null }
  const isOver = (instant: string) => sql`
    ${sql.raw(instant)} < statement_timestamp() - make_interval(secs => ${config.retentionMs}::float8 / 1000)`
  const [row] = await tx.execute<{
    has_more: boolean
    pruned_count: number
    last_position: string | null
  }>(sql`
    with oldest as (
      select id, position, time
      from core_audit.outbox_events
      where position > ${after}::bigint
      order by position
      limit ${config.batchSize}::int
    ), old as (
      select id, position from oldest where ${isOver('time')}
    ), finished as (
      select id
      from old
      where not exists (
        select from core_audit.outbox_deliveries d
        where d.event_id = old.id and not (d.state in ('completed', 'discarded') and ${isOver('d.state_since')})
      )
    ), attempts as (
      delete from core_audit.outbox_attempts a using finished where a.event_id = finished.id
    ), deliveries as (
      delete from core_audit.outbox_deliveries d using finished where d.event_id = finished.id
    ), pruned as (
      delete from core_audit.outbox_events e using finished where e.id = finished.id returning e.id
    )
    select count(*) = ${config.batchSize}::int and bool_or(${isOver('time')} or time > statement_timestamp()) as has_more,
      (select count(*)::int from pruned) as pruned_count,
      max(position) as last_position
    from oldest`)
  if (row === undefined) throw new Error('Pruning the outbox returned no row')
  return { prunedCount: row.pruned_count, next: row.has_more ? row.last_position : null }
}
