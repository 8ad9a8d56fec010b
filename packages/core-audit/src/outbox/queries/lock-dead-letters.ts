import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { isUuid } from '../../http/contract.ts'
import type { outboxDeliveries, outboxEvents } from '../schema.ts'

type DeliveryRow = Readonly<RowOf<typeof outboxDeliveries, 'consumer' | 'state' | 'attempts'>>

/** An event with its deliveries. */
export interface LockedEvent {
  readonly id: string
  readonly type: string
  readonly correlationId: string | null
  /** The dead letters, which are locked. */
  readonly dead: readonly DeliveryRow[]
  /** All deliveries, read after the lock. Empty if no consumer was registered. */
  readonly deliveries: readonly DeliveryRow[]
}

type EventRow = RowOf<typeof outboxEvents, 'id' | 'type' | 'correlationId'>

/**
 * Locks every dead letter of an event until the transaction ends. Never waits for a handler, which locks the delivery that it
 * handles. Returns undefined for unknown and malformed ids.
 */
export async function lockDeadLetters(tx: Tx, eventId: string): Promise<LockedEvent | undefined> {
  if (!isUuid(eventId)) return undefined
  const [event] = await tx.execute<EventRow>(sql`
    select id, type, correlation_id from core_audit.outbox_events where id = ${eventId}::uuid`)
  if (event === undefined) return undefined
  const dead = await tx.execute<DeliveryRow>(sql`
    select consumer, state, attempts
    from core_audit.outbox_deliveries
    where event_id = ${eventId}::uuid and state = 'dead'
    order by consumer
    for update`)
  const deliveries = await tx.execute<DeliveryRow>(sql`
    select consumer, state, attempts
    from core_audit.outbox_deliveries
    where event_id = ${eventId}::uuid
    order by consumer`)
  return { id: event.id, type: event.type, correlationId: event.correlation_id, dead, deliveries }
}
