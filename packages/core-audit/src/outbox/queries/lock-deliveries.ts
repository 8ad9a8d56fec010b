import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import { isUuid } from '../../http/contract.ts'

/** A delivery as its row says. */
export interface LockedDelivery {
  readonly consumer: string
  readonly state: 'pending' | 'completed' | 'dead' | 'discarded'
  readonly attempts: number
}

/** An event with its deliveries, none when no consumer was registered. */
export interface LockedEvent {
  readonly id: string
  readonly type: string
  readonly correlationId: string | null
  readonly deliveries: readonly LockedDelivery[]
}

type EventRow = { id: string; type: string; correlation_id: string | null }
type DeliveryRow = { consumer: string; state: LockedDelivery['state']; attempts: number }

/** Locks every delivery of an event until the transaction ends. Text that is not a UUID names no event. */
export async function lockDeliveries(tx: Tx, eventId: string): Promise<LockedEvent | undefined> {
  if (!isUuid(eventId)) return undefined
  const [event] = await tx.execute<EventRow>(sql`
    select id, type, correlation_id from core_audit.outbox_events where id = ${eventId}::uuid`)
  if (event === undefined) return undefined
  const deliveries = await tx.execute<DeliveryRow>(sql`
    select consumer, state, attempts
    from core_audit.outbox_deliveries
    where event_id = ${eventId}::uuid
    order by consumer
    for update`)
  return { id: event.id, type: event.type, correlationId: event.correlation_id, deliveries }
}
