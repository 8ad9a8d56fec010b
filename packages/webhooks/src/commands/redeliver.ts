import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import { WebhooksError } from '../errors.ts'
import { requireEndpoint } from '../queries/find-endpoint.ts'

export interface Redeliver {
  readonly eventId: string
  /** `null` selects all active endpoints. */
  readonly endpointId: string | null
}

/**
 * Sends finished deliveries of an event again to active endpoints, with all attempts available. Receivers recognize them by the
 * same id. Returns the number of deliveries.
 * @throws {WebhooksError} webhooks.delivery_not_found · webhooks.endpoint_disabled
 */
export async function redeliver(tx: Tx, { eventId, endpointId }: Redeliver): Promise<number> {
  const ofEndpoint = endpointId === null ? sql`true` : sql`d.endpoint_id::text = lower(${endpointId})`
  const { foundCount, sentCount } = await sendAgain(
    tx,
    sql`d.event_id::text = lower(${eventId}) and d.state <> 'pending' and ${ofEndpoint}`,
  )
  if (foundCount === 0) throw new WebhooksError('webhooks.delivery_not_found')
  if (sentCount === 0) throw new WebhooksError('webhooks.endpoint_disabled')
  return sentCount
}

/**
 * Sends all dead letters of an endpoint again, with all attempts available. Returns their number.
 * @throws {WebhooksError} webhooks.endpoint_not_found · webhooks.endpoint_disabled
 */
export async function redeliverDead(
  tx: Tx,
  { endpointId }: { readonly endpointId: string },
): Promise<number> {
  await requireEndpoint(tx, endpointId)
  const { foundCount, sentCount } = await sendAgain(
    tx,
    sql`d.state = 'dead' and d.endpoint_id::text = lower(${endpointId})`,
  )
  if (sentCount < foundCount) throw new WebhooksError('webhooks.endpoint_disabled')
  return sentCount
}

/** A disabled endpoint would skip its deliveries, so they keep their state. */
async function sendAgain(tx: Tx, selected: SQL) {
  const [row] = await tx.execute<{ found_count: number; sent_count: number }>(sql`
    with found as (
      select d.id, e.is_active
      from webhooks.deliveries d
      join webhooks.endpoints e on e.id = d.endpoint_id
      where ${selected}
      for update of d
    ),
    sent as (
      update webhooks.deliveries
      set state = 'pending', state_since = clock_timestamp(), attempts = 0, available_at = clock_timestamp(), failure = null
      where id in (select id from found where is_active)
      returning id
    )
    select (select count(*)::int from found) as found_count, (select count(*)::int from sent) as sent_count`)
  return { foundCount: row?.found_count ?? 0, sentCount: row?.sent_count ?? 0 }
}
