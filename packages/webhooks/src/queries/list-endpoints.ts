import { sql, toInstant, toInstantOrNull } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { deliveries, endpoints } from '../schema-internal.ts'

/** An endpoint without its secrets. Only the origin of its URL is shown, because the path can contain a token. */
export interface EndpointSummary {
  readonly id: string
  readonly origin: string
  readonly eventTypes: readonly string[]
  readonly isActive: boolean
  /** The end of the time in which the previous secret also signs. */
  readonly rotatingUntilUtc: string | null
  readonly pendingCount: number
  readonly deadCount: number
}

type Row = RowOf<typeof endpoints, 'id' | 'url' | 'eventTypes' | 'isActive' | 'previousUntil'> & {
  pending_count: number
  dead_count: number
}

/** Lists all endpoints, oldest first. */
export async function listEndpoints(db: Db): Promise<readonly EndpointSummary[]> {
  const rows = await db.execute<Row>(sql`
    select e.id, e.url, e.event_types, e.is_active,
      case when e.previous_until > statement_timestamp() then e.previous_until end as previous_until,
      (
        select count(*)::int from webhooks.deliveries d where d.state = 'pending' and d.endpoint_id = e.id
      ) as pending_count,
      (select count(*)::int from webhooks.deliveries d where d.state = 'dead' and d.endpoint_id = e.id) as dead_count
    from webhooks.endpoints e
    order by e.created_at, e.id`)
  return rows.map((row) => ({
    id: row.id,
    origin: new URL(row.url).origin,
    eventTypes: row.event_types,
    isActive: row.is_active,
    rotatingUntilUtc: toInstantOrNull(row.previous_until),
    pendingCount: row.pending_count,
    deadCount: row.dead_count,
  }))
}

/** A delivery that became a dead letter. */
export interface DeadDelivery {
  readonly id: string
  readonly eventId: string
  readonly endpointId: string
  readonly eventType: string
  readonly deadSinceUtc: string
  readonly failure: Readonly<Record<string, unknown>> | null
}

/** Lists dead letters, newest first, without their content. `limit` is `null` for all of them. */
export async function listDeadDeliveries(db: Db, limit: number | null): Promise<readonly DeadDelivery[]> {
  const rows = await db.execute<
    RowOf<typeof deliveries, 'id' | 'eventId' | 'endpointId' | 'eventType' | 'stateSince' | 'failure'>
  >(sql`
    select id, event_id, endpoint_id, event_type, state_since, failure
    from webhooks.deliveries
    where state = 'dead'
    order by state_since desc
    limit ${limit}::int`)
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    eventType: row.event_type,
    deadSinceUtc: toInstant(row.state_since),
    failure: row.failure,
  }))
}
