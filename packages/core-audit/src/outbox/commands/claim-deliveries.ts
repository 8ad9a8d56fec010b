import { type SQL, sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import type { OutboxConsumerConfig } from '../config.ts'
import { type EventRow, type OutboxEvent, toOutboxEvent } from '../event.ts'

/** A delivery that is ours to handle while its lease holds. */
export interface Claim {
  readonly consumer: string
  readonly leaseToken: string
  readonly event: OutboxEvent
  /** From 1. */
  readonly attempt: number
}

export interface ClaimDeliveries {
  readonly consumer: string
  /** New for every claim. */
  readonly leaseToken: string
  /**
   * `fresh`: due and nobody's, a batch, of the subjects that follow `after`.
   * `suspect`: one whose lease ran out, the least tried first. Its process may have ended because of it, so it is claimed
   * alone: should it happen again, nothing else loses an attempt.
   */
  readonly which: { readonly kind: 'fresh'; readonly after: string } | { readonly kind: 'suspect' }
}

/** What a claim brought. */
export interface ClaimedBatch {
  readonly claims: readonly Claim[]
  /** Events whose attempts were used up: dead letters now, not handed out. */
  readonly buried: readonly OutboxEvent[]
  /** The subject to go on after; `null` when there was none further on. */
  readonly next: string | null
}

type Row = EventRow & { candidate: string; attempts: number | null; is_exhausted: boolean | null }

const unfinished = sql.raw(`d.state in ('pending', 'dead')`)
const columns = sql.raw(
  'd.event_id, d.subject, d.position, d.state, d.attempts, d.available_at, d.lease_token, d.lease_until',
)

const ready: Record<ClaimDeliveries['which']['kind'], SQL> = {
  fresh: sql`lease_token is null and available_at <= statement_timestamp()`,
  suspect: sql`lease_until <= statement_timestamp()`,
}

/**
 * Leases deliveries and counts an attempt for each, in one statement.
 *
 * Only the first unfinished delivery of a subject is ever claimed, so a failing one holds back its own subject and no
 * other. The scan jumps from subject to subject in `outbox_deliveries_unfinished`: it costs a step for each subject, not
 * for each delivery, however many one of them holds back. Once first, a delivery stays first until it is finished, so
 * what another transaction did meanwhile shows in the delivery itself, which is looked at again when it is locked. The
 * sub-select there keeps PostgreSQL from proving that `outbox_deliveries_unfinished` would do: with few statistics it takes
 * it, and reads all that is unfinished to find a batch.
 */
export async function claimDeliveries(
  tx: Tx,
  config: Required<OutboxConsumerConfig>,
  input: ClaimDeliveries,
): Promise<ClaimedBatch> {
  const { consumer, leaseToken, which } = input
  const after = which.kind === 'fresh' ? which.after : ''
  // Chosen among several: the least tried one may be held by a handler that is slow, and must not hide the others.
  const alone = which.kind === 'suspect' ? sql`order by attempts, position limit 1` : sql``
  const rows = await tx.execute<Row>(sql`
    with recursive heads as (
      (select ${columns}
      from core_audit.outbox_deliveries d
      where d.consumer = ${consumer} and ${unfinished} and d.subject > ${after}
      order by d.subject, d.position
      limit 1)
      union all
      select further.*
      from heads
      cross join lateral (
        select ${columns}
        from core_audit.outbox_deliveries d
        where d.consumer = ${consumer} and ${unfinished} and d.subject > heads.subject
        order by d.subject, d.position
        limit 1
      ) further
    ), candidates as (
      select event_id, subject
      from heads
      where state = 'pending' and ${ready[which.kind]}
      limit ${config.batchSize}::int
    ), held as (
      select event_id, attempts, claimed_at, lease_token, attempts >= ${config.maxAttempts}::int as is_exhausted
      from core_audit.outbox_deliveries
      where event_id = any (array(select event_id from candidates))
        and consumer = ${consumer}
        and state = (select 'pending')
        and ${ready[which.kind]}
      ${alone}
      for update skip locked
    ), abandoned as (
      insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
      select event_id, ${consumer}, attempts, claimed_at, 'abandoned'
      from held
      where lease_token is not null
    ), buried as (
      update core_audit.outbox_deliveries d
      set state = 'dead', state_since = statement_timestamp(), lease_token = null, lease_until = null
      from held
      where d.event_id = held.event_id and d.consumer = ${consumer} and held.is_exhausted
    ), claimed as (
      update core_audit.outbox_deliveries d
      set attempts = d.attempts + 1,
        claimed_at = statement_timestamp(),
        lease_token = ${leaseToken}::uuid,
        lease_until = statement_timestamp() + make_interval(secs => ${config.leaseMs}::float8 / 1000)
      from held
      where d.event_id = held.event_id and d.consumer = ${consumer} and not held.is_exhausted
    )
    select candidates.subject as candidate, held.attempts, held.is_exhausted,
      e.id, e.type, e.source, e.subject, e.time, e.actor_user_id, e.correlation_id, e.causation_id,
      e.schema_version, e.data
    from candidates
    left join held on held.event_id = candidates.event_id
    left join core_audit.outbox_events e on e.id = held.event_id
    order by candidates.subject`)
  return {
    claims: rows
      .filter((row) => row.is_exhausted === false)
      .map((row) => ({ consumer, leaseToken, event: toOutboxEvent(row), attempt: (row.attempts ?? 0) + 1 })),
    buried: rows.filter((row) => row.is_exhausted === true).map(toOutboxEvent),
    next: rows.length < config.batchSize ? null : (rows.at(-1)?.candidate ?? null),
  }
}
