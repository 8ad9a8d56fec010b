import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { DeliveryOutcome } from '../policy.ts'
import type { LeasedMessage } from './lease-message.ts'

export interface SettleMessage {
  readonly table: SQL
  readonly message: LeasedMessage
  readonly outcome: { readonly state: 'sent' | 'skipped' } | DeliveryOutcome
  /** The description of the error, without data; `null` after a success. */
  readonly failure: Readonly<Record<string, unknown>> | null
}

/** Stores the outcome of an attempt. Returns false, and changes nothing, if another process holds the lease by now. */
export async function settleMessage(
  tx: Tx,
  { table, message, outcome, failure }: SettleMessage,
): Promise<boolean> {
  const delayMs = outcome.state === 'pending' ? outcome.delayMs : 0
  const rows = await tx.execute(sql`
    update ${table}
    set state = ${outcome.state}, lease_token = null,
      state_since = case when ${outcome.state} = 'pending' then state_since else clock_timestamp() end,
      available_at = clock_timestamp() + make_interval(secs => ${delayMs}::float8 / 1000),
      failure = ${failure === null ? null : JSON.stringify(failure)}::jsonb
    where id = ${message.id}::uuid and lease_token = ${message.leaseToken}::uuid
    returning id`)
  return rows.length === 1
}
