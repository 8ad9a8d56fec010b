import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import type { Claim } from './claim-deliveries.ts'

/**
 * Locks a claimed delivery until the transaction ends, and says whether its lease is still ours. While the lock is held
 * nobody claims it, however long the lease is over: two processors never commit the same delivery.
 */
export async function holdLease(tx: Tx, { event, consumer, leaseToken }: Claim): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from core_audit.outbox_deliveries
    where event_id = ${event.id}::uuid and consumer = ${consumer} and lease_token = ${leaseToken}::uuid
    for update`)
  return rows.length === 1
}
