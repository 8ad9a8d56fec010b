import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { Claim } from './claim-deliveries.ts'

/**
 * Marks deliveries of one claim as handled and records their attempts. Call it in the transaction that handles them, with
 * the locks of {@link holdLeases}.
 */
export async function completeDeliveries(tx: Tx, claims: readonly Claim[]): Promise<void> {
  const [first] = claims
  if (first === undefined) return
  const rows = await tx.execute(sql`
    with completed as (
      update core_audit.outbox_deliveries
      set state = 'completed', state_since = clock_timestamp(), lease_token = null, lease_until = null
      where event_id = any (${sql.param(claims.map(({ event }) => event.id))}::uuid[])
        and consumer = ${first.consumer}
        and lease_token = ${first.leaseToken}::uuid
      returning event_id, consumer, attempts, claimed_at
    )
    insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
    select event_id, consumer, attempts, claimed_at, 'completed'
    from completed
    returning id`)
  if (rows.length !== claims.length) throw new Error('A delivery was finished while its lock was held')
}
