import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { DeliveryOutcome } from '../policy.ts'
import type { Claim } from './claim-deliveries.ts'

export interface FailDelivery {
  readonly claim: Claim
  readonly outcome: DeliveryOutcome
  /** The description of the failure, from `describeFailure`. */
  readonly failure: Readonly<Record<string, unknown>>
}

/**
 * Records a failed attempt and the outcome of its delivery in one statement. Call it after the transaction of the attempt
 * was rolled back. Returns false and records nothing if the lease now belongs to another process.
 */
export async function failDelivery(tx: Tx, { claim, outcome, failure }: FailDelivery): Promise<boolean> {
  const { event, consumer, leaseToken } = claim
  const change =
    outcome.state === 'dead'
      ? sql`state = 'dead', state_since = clock_timestamp()`
      : sql`available_at = clock_timestamp() + make_interval(secs => ${outcome.delayMs}::float8 / 1000)`
  const rows = await tx.execute(sql`
    with failed as (
      update core_audit.outbox_deliveries
      set lease_token = null, lease_until = null, ${change}
      where event_id = ${event.id}::uuid and consumer = ${consumer} and lease_token = ${leaseToken}::uuid
      returning event_id, consumer, attempts, claimed_at
    )
    insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome, error)
    select event_id, consumer, attempts, claimed_at, 'failed', ${JSON.stringify(failure)}::jsonb
    from failed
    returning id`)
  return rows.length === 1
}
