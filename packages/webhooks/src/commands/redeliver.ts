import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { WebhooksError } from '../errors.ts'

export interface Redeliver {
  readonly eventId: string
  /** `null` selects all endpoints. */
  readonly endpointId: string | null
}

/**
 * Sends finished deliveries of an event again, with all attempts available. Receivers recognize them by the same id. Returns
 * the number of deliveries.
 * @throws {WebhooksError} webhooks.delivery_not_found
 */
export async function redeliver(tx: Tx, { eventId, endpointId }: Redeliver): Promise<number> {
  const rows = await tx.execute(sql`
    update webhooks.deliveries
    set state = 'pending', state_since = clock_timestamp(), attempts = 0, available_at = clock_timestamp(), failure = null
    where event_id::text = lower(${eventId})
      and state <> 'pending'
      and ${endpointId === null ? sql`true` : sql`endpoint_id::text = lower(${endpointId})`}
    returning id`)
  if (rows.length === 0) throw new WebhooksError('webhooks.delivery_not_found')
  return rows.length
}
