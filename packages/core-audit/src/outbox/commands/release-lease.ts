import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { type ClaimDeliveries, heads } from './claim-deliveries.ts'

/**
 * Releases the deliveries of a claim whose answer was lost, and reduces the number of attempts of each delivery by one. Visits each
 * subject with a pending delivery once, because only the first delivery of a subject is ever leased.
 */
export async function releaseLease(
  tx: Tx,
  { consumer, leaseToken }: Pick<ClaimDeliveries, 'consumer' | 'leaseToken'>,
): Promise<void> {
  await tx.execute(sql`
    with recursive ${heads(consumer, '')}
    update core_audit.outbox_deliveries
    set lease_token = null, lease_until = null, attempts = attempts - 1
    where event_id = any (array(select event_id from heads where lease_token = ${leaseToken}::uuid))
      and consumer = ${consumer}
      and lease_token = ${leaseToken}::uuid`)
}
