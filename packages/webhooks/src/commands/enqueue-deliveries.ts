import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { OutboxEvent } from '@vertical-kit/core-audit/outbox'

/** Creates a delivery for each event and each active endpoint that receives its type, in one statement. */
export async function enqueueDeliveries(tx: Tx, events: readonly OutboxEvent[]): Promise<void> {
  const rows = events.map((event) => ({ id: event.id, type: event.type, body: bodyOf(event) }))
  await tx.execute(sql`
    insert into webhooks.deliveries (id, endpoint_id, event_id, event_type, body)
    select gen_random_uuid(), endpoint.id, event.id, event.type, event.body
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) event (id uuid, type text, body text)
    join webhooks.endpoints endpoint
      on endpoint.is_active and (endpoint.event_types = '{}' or event.type = any(endpoint.event_types))
    on conflict (event_id, endpoint_id) do nothing`)
}

/** The body in the format of Standard Webhooks, with the subject of the event. */
const bodyOf = ({ type, time, subject, data }: OutboxEvent): string =>
  JSON.stringify({ type, timestamp: time, subject, data })
