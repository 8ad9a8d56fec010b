import { type SQL, sql } from '@vertical-kit/core-audit'
import { auditEventsBetween, firstEventIdAt } from '@vertical-kit/core-audit/audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'

/** An audit event about a followed object. */
export interface WatchedEvent {
  readonly id: string
  readonly target: BusinessObjectReference
  readonly module: string
  readonly actorUserId: string
  readonly occurredAtMs: number
}

/** A part of the audit log in the order of ids. */
export interface EventBatch {
  /** The id of the last event, followed or not; `null` for an empty batch. */
  readonly lastId: string | null
  readonly isFull: boolean
  /** The events of users about followed objects, in the order of ids. */
  readonly events: readonly WatchedEvent[]
}

/** The largest UUID. */
const maxId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Events before the first watch concern nobody. The margin covers events whose id is older than their time. */
const firstWatch = sql`(select min(watched_at) - interval '1 minute' from work_center.watches)`

/** The position, or the first watch if it is later: the events between them can be many, and concern nobody. */
const startOf = (position: SQL): SQL => sql`greatest(${position}, ${firstEventIdAt(firstWatch)})`

/**
 * Locks the position until the transaction ends, and returns the id after which to read. Returns `null` while another replica
 * works, or if no event follows it, or if nobody follows anything: the usual case costs one statement.
 */
export async function takePosition(tx: Tx): Promise<string | null> {
  const [position] = await tx.execute<{ after_id: string; has_work: boolean }>(sql`
    select ${startOf(sql`last_event_id`)} as after_id, ${nextEvent} is not null as has_work
    from work_center.watch_position
    for update skip locked`)
  return position?.has_work === true ? position.after_id : null
}

/** The time of the first event after the position, if anybody follows anything. */
const nextEvent = sql`(
      select e.occurred_at
      from (
        ${auditEventsBetween({
          afterId: sql`(select ${startOf(sql`last_event_id`)} from work_center.watch_position)`,
          belowId: maxId,
          limit: 1,
        })}
      ) e
      where exists (select from work_center.watches)
    )`

/** An expression for the time from which the worker has work. */
export const nextEventAt: SQL<string | null> = sql<string | null>`${nextEvent}`

export interface ReadEvents {
  readonly afterId: string
  readonly belowId: string
  readonly limit: number
}

type Row = {
  last_id: string | null
  event_count: number
  id: string | null
  target_kind: BusinessObjectReference['kind']
  target_type_code: string
  target_id: string
  module: string
  actor_user_id: string
  occurred_at_ms: number
}

/** Reads a batch of the audit log in one statement, and of its events those about followed objects. */
export async function readEvents(tx: Tx, { afterId, belowId, limit }: ReadEvents): Promise<EventBatch> {
  const rows = await tx.execute<Row>(sql`
    with event as materialized (${auditEventsBetween({ afterId, belowId, limit })}),
    followed as (
      select e.*
      from event e
      where e.actor_user_id is not null
        and e.occurred_at >= ${firstWatch}
        and exists (
          select from work_center.watches w
          where w.target_id = e.target_id
            and w.target_type_code = e.target_type_code
            and w.target_kind = e.target_kind
            and w.user_id <> e.actor_user_id
        )
    ),
    batch as (
      select (array_agg(id order by id desc))[1] as last_id, count(*)::int as event_count from event
    )
    select b.last_id, b.event_count, f.id, f.target_kind, f.target_type_code, f.target_id, f.module, f.actor_user_id,
      (extract(epoch from f.occurred_at) * 1000)::float8 as occurred_at_ms
    from batch b
    left join followed f on true
    order by f.id`)
  return {
    lastId: rows[0]?.last_id ?? null,
    isFull: (rows[0]?.event_count ?? 0) === limit,
    events: rows.flatMap((row) => (row.id === null ? [] : [toEvent(row.id, row)])),
  }
}

const toEvent = (id: string, row: Row): WatchedEvent => ({
  id,
  target: { kind: row.target_kind, typeCode: row.target_type_code, id: row.target_id },
  module: row.module,
  actorUserId: row.actor_user_id,
  occurredAtMs: row.occurred_at_ms,
})

/** Moves the position, which must be locked. */
export async function movePosition(tx: Tx, lastId: string): Promise<void> {
  await tx.execute(sql`update work_center.watch_position set last_event_id = ${lastId}::uuid`)
}
