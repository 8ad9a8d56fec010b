import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { OutboxConsumerConfig } from '../config.ts'
import { type EventRow, type OutboxEvent, toOutboxEvent } from '../event.ts'

/** A delivery that this process can handle until its lease expires. */
export interface Claim {
  readonly consumer: string
  readonly leaseToken: string
  readonly event: OutboxEvent
  /** The number of this attempt, starting at 1. */
  readonly attempt: number
  /** The W3C trace context of the span that appended the event; `null` without tracing. */
  readonly traceparent: string | null
}

export interface ClaimDeliveries {
  readonly consumer: string
  /** The token of the lease. Every claim has a new token. */
  readonly leaseToken: string
  /**
   * `fresh`: a batch of due, unclaimed deliveries from the subjects after `after`.
   * `suspect`: one delivery with an expired lease. It may have crashed its process, so it is claimed without other
   * deliveries: if it crashes the process again, no other delivery loses an attempt.
   */
  readonly which: { readonly kind: 'fresh'; readonly after: string } | { readonly kind: 'suspect' }
}

/** The result of a claim. */
export interface ClaimedBatch {
  readonly claims: readonly Claim[]
  /** Events that have no attempts left. They are now dead letters and are not part of the claim. */
  readonly buried: readonly OutboxEvent[]
  /** The subject after which the next claim must continue; `null` when no further subject exists. */
  readonly next: string | null
}

type Row = EventRow & {
  candidate: string
  attempts: number | null
  is_exhausted: boolean | null
  traceparent: string | null
}

const columns = sql.raw(
  'd.event_id, d.subject, d.position, d.attempts, d.available_at, d.lease_token, d.lease_until',
)

const ready: Record<ClaimDeliveries['which']['kind'], SQL> = {
  fresh: sql`lease_token is null and available_at <= statement_timestamp()`,
  suspect: sql`lease_until <= statement_timestamp()`,
}

/** How many deliveries of each subject one claim marks as blocked. A long backlog is marked in several steps. */
const maxMarks = 200

/** The deliveries of a batch: those that are ready, and among the fresh ones also those that must be marked as blocked. */
const chosen: Record<ClaimDeliveries['which']['kind'], SQL> = {
  fresh: sql`${ready.fresh} or lease_token is null and blocker_id is not null`,
  suspect: sql`${ready.suspect} and blocker_id is null`,
}

/**
 * The first pending delivery of each subject after `after`, as the table expression `heads`. It jumps from subject to subject in
 * `outbox_deliveries_by_subject`. It visits no subject that has only dead letters, and no delivery that is marked as blocked.
 * `blocker_id` is the event of a dead letter before the delivery; null if the delivery is the first unfinished one of its subject.
 */
export const heads = (consumer: string, after: string): SQL => sql`
    firsts as (
      (select ${columns}
      from core_audit.outbox_deliveries d
      where d.consumer = ${consumer} and d.state = 'pending' and not d.is_blocked and d.subject > ${after}
      order by d.subject, d.position
      limit 1)
      union all
      select further.*
      from firsts
      cross join lateral (
        select ${columns}
        from core_audit.outbox_deliveries d
        where d.consumer = ${consumer} and d.state = 'pending' and not d.is_blocked and d.subject > firsts.subject
        order by d.subject, d.position
        limit 1
      ) further
    ), heads as not materialized (
      -- One index lookup for each subject. The sub-select in it prevents PostgreSQL from using \`outbox_deliveries_dead\`: with
      -- statistics without dead letters, it would read all of them for each subject. So could a join. \`is_blocked\` has both values,
      -- so that the index leads to the subject.
      select firsts.*, (
        select d.event_id
        from core_audit.outbox_deliveries d
        where d.consumer = ${consumer} and d.state in ('pending', 'dead') and d.state = (select 'dead')
          and d.is_blocked in (false, true) and d.subject = firsts.subject and d.position < firsts.position
        limit 1
      ) as blocker_id
      from firsts
    )`

/**
 * An expression for the time from which a claim finds a delivery: the end of a wait or of a lease. It ignores deliveries
 * that wait behind another one of their subject. A claim also has work if it must mark a delivery as blocked.
 */
export const nextDeliveryAt = (consumer: string): SQL<string | null> => sql<string | null>`(
  with recursive ${heads(consumer, '')}
  select coalesce(
    -- With a backlog, the walk ends at the first delivery that waits for nothing.
    (
      select available_at
      from heads
      where ${ready.fresh}
      limit 1
    ),
    (
      select min(case when lease_token is null then available_at when blocker_id is null then lease_until end)
      from heads
    )
  )
)`

/**
 * Leases deliveries and counts an attempt for each of them, in one statement.
 *
 * Only the first unfinished delivery of a subject is ever claimed, so a failing delivery blocks only its own subject. The
 * scan needs one step for each subject with a pending delivery, regardless of the number of deliveries behind it. A first delivery
 * stays first until it is finished. So concurrent changes are visible in the delivery itself, which is checked again when it is
 * locked. The sub-select in that lookup prevents PostgreSQL from using `outbox_deliveries_by_subject` there: with few statistics it
 * would read all unfinished deliveries to find a batch.
 *
 * If the scan finds a delivery behind a dead letter, the claim marks the deliveries there, and no further scan visits them. The dead
 * letter is locked and checked again before that. While an operator decides about it, nothing is marked. An operator who comes later
 * waits for the claim, and the decision removes the marks. Marking a delivery when its event is appended would be wrong: a decision
 * that has not been committed does not see the delivery, and would leave it marked.
 */
export async function claimDeliveries(
  tx: Tx,
  config: Required<OutboxConsumerConfig>,
  input: ClaimDeliveries,
): Promise<ClaimedBatch> {
  const { consumer, leaseToken, which } = input
  const after = which.kind === 'fresh' ? which.after : ''
  // Select from several suspects: a slow handler can still lock the suspect with the fewest attempts, and the others
  // must not wait.
  const alone = which.kind === 'suspect' ? sql`order by attempts, position limit 1` : sql``
  const rows = await tx.execute<Row>(sql`
    with recursive ${heads(consumer, after)}, candidates as (
      select event_id, subject, blocker_id
      from heads
      where ${chosen[which.kind]}
      limit ${config.batchSize}::int
    ), blockers as (
      select event_id, subject, position
      from core_audit.outbox_deliveries
      where event_id = any (array(select blocker_id from candidates))
        and consumer = ${consumer}
        and state = (select 'dead')
      for share skip locked
    ), behind as (
      select later.event_id
      from blockers
      cross join lateral (
        select d.event_id
        from core_audit.outbox_deliveries d
        where d.consumer = ${consumer} and d.state = 'pending' and not d.is_blocked
          and d.subject = blockers.subject and d.position > blockers.position and d.lease_token is null
        order by d.position
        limit ${maxMarks}::int
        for update skip locked
      ) later
    ), blocked as (
      update core_audit.outbox_deliveries d
      set is_blocked = true
      from behind
      where d.event_id = behind.event_id and d.consumer = ${consumer}
    ), held as (
      select event_id, attempts, claimed_at, lease_token, attempts >= ${config.maxAttempts}::int as is_exhausted
      from core_audit.outbox_deliveries
      where event_id = any (array(select event_id from candidates where blocker_id is null))
        and consumer = ${consumer}
        and state = (select 'pending')
        and not is_blocked
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
      e.schema_version, e.data, e.traceparent
    from candidates
    left join held on held.event_id = candidates.event_id
    left join core_audit.outbox_events e on e.id = held.event_id
    order by candidates.subject`)
  return {
    claims: rows
      .filter((row) => row.is_exhausted === false)
      .map((row) => ({
        ...{ consumer, leaseToken, event: toOutboxEvent(row), traceparent: row.traceparent },
        attempt: (row.attempts ?? 0) + 1,
      })),
    buried: rows.filter((row) => row.is_exhausted === true).map(toOutboxEvent),
    next: rows.length < config.batchSize ? null : (rows.at(-1)?.candidate ?? null),
  }
}
