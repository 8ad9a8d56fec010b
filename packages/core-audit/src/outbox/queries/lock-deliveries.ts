import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { isUuid } from '../../http/contract.ts'
import type { outboxDeliveries, outboxEvents } from '../schema.ts'

/** The row of a delivery. */
export type LockedDelivery = Readonly<RowOf<typeof outboxDeliveries, 'consumer' | 'state' | 'attempts'>>

/** An event with its deliveries. The list is empty if no consumer was registered. */
export interface LockedEvent {
  readonly id: string
  readonly type: string
  readonly correlationId: string | null
  readonly deliveries: readonly LockedDelivery[]
}

type EventRow = RowOf<typeof outboxEvents, 'id' | 'type' | 'correlationId'>

/** Locks every delivery of an event until the transaction ends. Returns undefined for unknown and malformed ids. */
export async function lockDeliveries(tx: Tx, eventId: string): Promise<LockedEvent | undefined> {
  if (!isUuid(eventId)) return undefined
  const [event] = await tx.execute<EventRow>(sql`
    select id, type, correlation_id from core_audit.outbox_events where id = ${eventId}::uuid`)
  if (event === undefined) return undefined
  const deliveries = await tx.execute<LockedDelivery>(sql`
    select consumer, state, attempts
    from core_audit.outbox_deliveries
    where event_id = ${eventId}::uuid
    order by consumer
    for update`)
  return { id: event.id, type: event.type, correlationId: event.correlation_id, deliveries }
}
