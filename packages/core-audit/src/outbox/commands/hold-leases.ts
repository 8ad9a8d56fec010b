import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import type { outboxDeliveries } from '../schema.ts'
import type { Claim } from './claim-deliveries.ts'

/**
 * Locks deliveries of one claim until the transaction ends, and returns the deliveries that this process still leases. The
 * lock prevents new claims even after the lease has expired, so two processes never commit the same delivery.
 */
export async function holdLeases(tx: Tx, claims: readonly Claim[]): Promise<readonly Claim[]> {
  const [first] = claims
  if (first === undefined) return []
  const rows = await tx.execute<RowOf<typeof outboxDeliveries, 'eventId'>>(sql`
    select event_id
    from core_audit.outbox_deliveries
    where event_id = any (${sql.param(claims.map(({ event }) => event.id))}::uuid[])
      and consumer = ${first.consumer}
      and lease_token = ${first.leaseToken}::uuid
    order by event_id
    for update`)
  const held = new Set(rows.map((row) => row.event_id))
  return claims.filter(({ event }) => held.has(event.id))
}
