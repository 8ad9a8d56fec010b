import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import {
  coreMigrations,
  createDatabase,
  type Database,
  type DatabaseConfig,
  databaseDefaults,
} from '@vertical-kit/core-audit/database'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { captureLog, migrationTemplate } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import {
  createWebhooks,
  type WebhooksConfig,
  webhooksDefaults,
  webhooksMigrations,
} from '@vertical-kit/webhooks'
import { sql } from 'drizzle-orm/sql'
import { inject, onTestFinished } from 'vitest'
import { addEndpoint } from '../src/commands/add-endpoint.ts'

/** The settings of tests: their endpoints are servers on 127.0.0.1. */
export const local: WebhooksConfig = {
  ...webhooksDefaults,
  ...{ allowPrivateAddresses: true, allowInsecureHttp: true },
}

/** A separate database with the tables of webhooks. */
export interface Desk {
  readonly url: string
  readonly database: Database
  openPool(config?: Partial<DatabaseConfig>): Database
  close(): Promise<void>
}

export async function openDesk(): Promise<Desk> {
  const template = await migrationTemplate('webhooks', [coreMigrations, webhooksMigrations])
  const fresh = await freshDatabase(inject('postgresUrl'), { template })
  const pools: Database[] = []
  const openPool = (config: Partial<DatabaseConfig> = {}) => {
    const pool = createDatabase({ ...databaseDefaults, url: fresh.url, ...config })
    pools.push(pool)
    return pool
  }
  return {
    url: fresh.url,
    database: openPool(),
    openPool,
    async close() {
      await Promise.all(pools.map((pool) => pool.close()))
      await fresh.drop()
    },
  }
}

/** Webhooks that run only when the test calls `run`. */
export function makeWebhooks(database: Database, config: WebhooksConfig = local) {
  const outbox = createOutbox({ database, config: outboxDefaults })
  const log = captureLog()
  const module = createWebhooks({ database, outbox, config })
  const [sender] = module.workers ?? []
  const [consumer] = outbox.processing.workers ?? []
  if (sender === undefined || consumer === undefined) throw new Error('The module has no workers')
  const { signal } = new AbortController()
  return {
    module,
    /** Appends an event, and returns its id. */
    async append(type = 'document.action.completed', data: Readonly<Record<string, unknown>> = {}) {
      const subject = `document/${newId()}`
      await database.transaction((tx) =>
        outbox.append(tx, {
          ...{ type, source: 'trade', subject, actorUserId: null, correlationId: null, causationId: null },
          ...{ schemaVersion: 1, data },
        }),
      )
      const [row] = await database.read((db) =>
        db.execute<{ id: string }>(sql`select id from core_audit.outbox_events where subject = ${subject}`),
      )
      return row?.id ?? ''
    },
    consume: () => consumer.runOnce(signal, log.logger),
    send: () => sender.runOnce(signal, log.logger),
    async run() {
      await this.consume()
      await this.send()
    },
    get logged() {
      return log.entries
    },
  }
}

/** A request that an endpoint has received. */
export interface Received {
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An HTTP server on 127.0.0.1 that records its requests. */
export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
}

/** Starts a receiver. `answer` responds to each request; by default with 204. It ends with the test. */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => void | Promise<void> = (response) =>
    void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const one = { path: request.url ?? '', headers: request.headers, body }
    received.push(one)
    await answer(response, one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/hook?token=canary`, received }
}

/** Adds an endpoint, and returns its id and secret. */
export const add = (database: Database, url: string, eventTypes: readonly string[] = []) =>
  database.transaction((tx) => addEndpoint(tx, local, { url, eventTypes, operator: 'test' }))

export const deliveriesOf = (database: Database) =>
  database.read((db) =>
    db.execute<{
      endpoint_id: string
      event_id: string
      state: string
      attempts: number
      failure: unknown
    }>(sql`
      select endpoint_id, event_id, state, attempts, failure from webhooks.deliveries order by id`),
  )

/** Returns whether all deliveries are due. */
export async function isDue(database: Database): Promise<boolean> {
  const [row] = await database.read((db) =>
    db.execute<{ is_due: boolean }>(sql`
      select bool_and(state = 'pending' and available_at <= statement_timestamp()) as is_due
      from webhooks.deliveries`),
  )
  return row?.is_due ?? false
}

/** Changes times in the database so that retries are due and leases have expired. */
export const letTimePass = (database: Database) =>
  database.statement((tx) =>
    tx.execute(sql`
      update webhooks.deliveries set available_at = statement_timestamp() where state = 'pending'`),
  )

/** Deletes all endpoints, deliveries and events. */
export const clear = (database: Database) =>
  database.transaction(async (tx) => {
    await tx.execute(sql`delete from webhooks.deliveries`)
    await tx.execute(sql`delete from webhooks.endpoints`)
    await tx.execute(sql`
      update core_audit.outbox_deliveries set state = 'discarded', lease_token = null, lease_until = null`)
    for (const table of ['outbox_attempts', 'outbox_deliveries', 'outbox_events']) {
      await tx.execute(sql.raw(`delete from core_audit.${table}`))
    }
  })
