import { recordAudit, type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { type Redelivered, redelivered } from '../audit.ts'
import { WebhooksError } from '../errors.ts'
import { requireEndpoint } from '../queries/find-endpoint.ts'

export interface Redeliver {
  readonly eventId: string
  /** `null` selects all active endpoints. */
  readonly endpointId: string | null
  readonly operator: string
}

/**
 * Sends finished deliveries of an event again to active endpoints, with all attempts available. Receivers recognize them by the
 * same id. Writes one audit event for each endpoint. Returns the number of deliveries.
 * @throws {WebhooksError} webhooks.delivery_not_found · webhooks.endpoint_disabled
 */
export async function redeliver(tx: Tx, { eventId, endpointId, operator }: Redeliver): Promise<number> {
  const ofEndpoint = endpointId === null ? sql`true` : sql`d.endpoint_id::text = lower(${endpointId})`
  const { foundCount, sentCount } = await sendAgain(
    tx,
    sql`d.event_id::text = lower(${eventId}) and d.state <> 'pending' and ${ofEndpoint}`,
    { eventId: eventId.toLowerCase(), operator },
  )
  if (foundCount === 0) throw new WebhooksError('webhooks.delivery_not_found')
  if (sentCount === 0) throw new WebhooksError('webhooks.endpoint_disabled')
  return sentCount
}

/**
 * Sends all dead letters of an endpoint again, with all attempts available. Writes an audit event. Returns their number.
 * @throws {WebhooksError} webhooks.endpoint_not_found · webhooks.endpoint_disabled
 */
export async function redeliverDead(
  tx: Tx,
  { endpointId, operator }: Pick<Redeliver, 'operator'> & { readonly endpointId: string },
): Promise<number> {
  await requireEndpoint(tx, endpointId)
  const { foundCount, sentCount } = await sendAgain(
    tx,
    sql`d.state = 'dead' and d.endpoint_id::text = lower(${endpointId})`,
    { eventId: undefined, operator },
  )
  if (sentCount < foundCount) throw new WebhooksError('webhooks.endpoint_disabled')
  return sentCount
}

/** A disabled endpoint would skip its deliveries, so they keep their state. */
async function sendAgain(tx: Tx, selected: SQL, decision: Pick<Redelivered, 'eventId' | 'operator'>) {
  const rows = await tx.execute<{ endpoint_id: string; found_count: number; sent_count: number }>(sql`
    with found as (
      select d.id, d.endpoint_id, e.is_active
      from webhooks.deliveries d
      join webhooks.endpoints e on e.id = d.endpoint_id
      where ${selected}
      for update of d
    ),
    sent as (
      update webhooks.deliveries
      set state = 'pending', state_since = clock_timestamp(), attempts = 0, available_at = clock_timestamp(), failure = null
      where id in (select id from found where is_active)
    )
    select endpoint_id, count(*)::int as found_count, (count(*) filter (where is_active))::int as sent_count
    from found
    group by endpoint_id`)
  const events = rows.flatMap(({ endpoint_id: endpointId, sent_count: count }) =>
    count === 0 ? [] : [redelivered({ endpointId, count, ...decision })],
  )
  if (events.length > 0) await recordAudit(tx, ...events)
  const total = (name: 'found_count' | 'sent_count') => rows.reduce((sum, row) => sum + row[name], 0)
  return { foundCount: total('found_count'), sentCount: total('sent_count') }
}
