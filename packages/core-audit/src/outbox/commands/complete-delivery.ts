import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import type { Claim } from './claim-deliveries.ts'

/** Marks a delivery as handled, with its attempt, in the transaction of what handling it did. Under {@link holdLease}. */
export async function completeDelivery(tx: Tx, { event, consumer, leaseToken }: Claim): Promise<void> {
  const rows = await tx.execute(sql`
    with completed as (
      update core_audit.outbox_deliveries
      set state = 'completed', state_since = clock_timestamp(), lease_token = null, lease_until = null
      where event_id = ${event.id}::uuid and consumer = ${consumer} and lease_token = ${leaseToken}::uuid
      returning event_id, consumer, attempts, claimed_at
    )
    insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
    select event_id, consumer, attempts, claimed_at, 'completed'
    from completed
    returning id`)
  if (rows.length === 0) throw new Error('A delivery was finished under its own lock')
}
