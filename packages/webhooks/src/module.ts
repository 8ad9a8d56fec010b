import { type KitModule, sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { createSender, type Outbox } from '@vertical-kit/core-audit/outbox'
import { enqueueDeliveries } from './commands/enqueue-deliveries.ts'
import type { WebhooksConfig } from './config.ts'
import { webhooksMigrations } from './migrations.ts'
import { postWebhook } from './post.ts'
import { findActiveEndpoint } from './queries/find-endpoint.ts'
import { signedHeaders } from './signature.ts'
import { version } from './version.ts'

/** The outbox with the events, and the limits that all endpoints share. */
export interface WebhooksOptions {
  readonly database: Database
  /** The source of the events. Deliveries are created only in hosts that list `outbox.processing`. */
  readonly outbox: Outbox
  readonly config: WebhooksConfig
}

/** The columns of a delivery that `send` receives. */
type DeliveryRow = { endpoint_id: string; event_id: string; body: string }

/**
 * Creates the module that sends the events of the outbox to other systems, and registers its outbox consumer. Nothing runs
 * until a host starts the module.
 *
 * A delivery for each endpoint commits with the mark that the event was handled. A sender then posts it, without a connection
 * to the database. A request that fails is retried and becomes a dead letter in the end; other endpoints and later events do
 * not wait for it. If a process dies after the answer, or stops before it, the request is sent again with the same `webhook-id`.
 */
export function createWebhooks({ database, outbox, config }: WebhooksOptions): KitModule {
  outbox.consume({ name: 'webhooks', healthName: 'webhooksOutbox', handle: enqueueDeliveries })
  const { workers, health } = createSender<DeliveryRow>({
    ...{ database, config, name: 'webhooks', healthName: 'webhooks' },
    table: sql`webhooks.deliveries`,
    columns: sql`endpoint_id, event_id, body`,
    destination: sql<string>`endpoint_id::text`,
    logFields: ({ endpoint_id: endpoint, event_id: event }) => ({ endpoint, event }),
    // An operator has disabled the others on purpose.
    reportedDead: sql`endpoint_id in (select id from webhooks.endpoints where is_active)`,
    async send({ endpoint_id: endpointId, event_id: id, body }, signal) {
      const endpoint = await database.read((db) => findActiveEndpoint(db, endpointId))
      if (endpoint === null) return { state: 'skipped' }
      const headers = signedHeaders(endpoint.secrets, { id, timestampSeconds: endpoint.nowSeconds, body })
      await postWebhook(config, { url: endpoint.url, headers, body }, signal)
      return { state: 'sent' }
    },
  })
  return {
    name: webhooksMigrations.name,
    version,
    migrations: webhooksMigrations,
    workers,
    health: [health],
  }
}
