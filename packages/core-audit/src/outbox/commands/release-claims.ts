import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { Claim } from './claim-deliveries.ts'

/** Releases claims that were not handled, and reduces the number of attempts of each delivery by one. */
export async function releaseClaims(tx: Tx, claims: readonly Claim[]): Promise<void> {
  const [first] = claims
  if (first === undefined) return
  await tx.execute(sql`
    update core_audit.outbox_deliveries
    set lease_token = null, lease_until = null, attempts = attempts - 1
    where event_id = any (${sql.param(claims.map(({ event }) => event.id))}::uuid[])
      and consumer = ${first.consumer}
      and lease_token = ${first.leaseToken}::uuid`)
}
