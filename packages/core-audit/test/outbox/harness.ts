import {
  createDatabase,
  type Database,
  type DatabaseConfig,
  databaseDefaults,
  type Tx,
} from '@vertical-kit/core-audit/database'
import type { OutboxEvent } from '@vertical-kit/core-audit/outbox'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import type { OutboxConsumerConfig } from '../../src/outbox/config.ts'
import { createOutboxConsumer, type OutboxConsumerOptions } from '../../src/outbox/consumer.ts'
import { openDatabase, runSql } from '../harness.ts'

/** The stored form of a delivery. */
export interface StoredDelivery {
  readonly eventId: string
  readonly consumer: string
  readonly subject: string
  readonly state: string
  readonly attempts: number
  readonly isLeased: boolean
}

/** A stored row of the history. */
export interface StoredAttempt {
  readonly attempt: number
  readonly outcome: string
  readonly error: Readonly<Record<string, unknown>> | null
}

/** A consumer that a test runs by hand. */
export interface TestConsumer extends ReturnType<typeof createOutboxConsumer> {
  /** Runs one cycle, until no delivery is due. */
  run(signal?: AbortSignal): Promise<void>
  /** All log entries so far, parsed. */
  readonly logged: readonly Record<string, unknown>[]
}

export interface TestConsumerOptions {
  readonly name?: string
  readonly config?: Partial<OutboxConsumerConfig>
}

/** Creates a consumer that handles the events of a batch one after the other. */
export function makeConsumer(
  database: Database,
  handle: (tx: Tx, event: OutboxEvent) => Promise<void>,
  options?: TestConsumerOptions,
): TestConsumer {
  return makeBatchConsumer(
    database,
    async (tx, events) => {
      for (const event of events) await handle(tx, event)
    },
    options,
  )
}

/** Creates a consumer, by default `mail`, that polls often and has three attempts for each event. */
export function makeBatchConsumer(
  database: Database,
  handle: OutboxConsumerOptions['handle'],
  options: TestConsumerOptions = {},
): TestConsumer {
  const { name = 'mail', config } = options
  const log = captureLog()
  const consumer = createOutboxConsumer({
    database,
    name,
    healthName: `${name}Outbox`,
    handle,
    config: { pollIntervalMs: 10, batchSize: 25, maxAttempts: 3, ...config },
  })
  return {
    ...consumer,
    get logged() {
      return log.entries
    },
    run: (signal = new AbortController().signal) => consumer.worker.runOnce(signal, log.logger),
  }
}

/** An outbox with its own database, for a test file. */
export interface Outbox {
  readonly url: string
  readonly database: Database
  /** Opens another pool, like another replica. It is closed with the outbox. */
  openPool(config?: Partial<DatabaseConfig>): Database
  /** Returns every delivery, in the order in which the events were appended. */
  deliveries(): Promise<readonly StoredDelivery[]>
  /** Returns the history of one event, oldest attempt first. */
  attempts(eventId: string): Promise<readonly StoredAttempt[]>
  /**
   * Simulates the passage of time: waiting deliveries become due, and leases expire unless their delivery is being handled.
   */
  letTimePass(): Promise<void>
  /** Deletes every event. Consumers stay. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Opens a migrated database with these consumers. */
export async function openOutbox(consumers: readonly string[]): Promise<Outbox> {
  const fresh = await openDatabase()
  const pools: Database[] = []
  const openPool = (config: Partial<DatabaseConfig> = {}): Database => {
    const pool = createDatabase({ ...databaseDefaults, ...config, url: fresh.url })
    pools.push(pool)
    return pool
  }
  const database = openPool()
  for (const name of consumers) {
    await database.statement((tx) => tx.execute(sql`select core_audit.register_outbox_consumer(${name})`))
  }
  return {
    url: fresh.url,
    database,
    openPool,
    deliveries: () => readDeliveries(database),
    attempts: (eventId) =>
      database.read((db) =>
        db.execute<{ [Name in keyof StoredAttempt]: StoredAttempt[Name] }>(sql`
          select attempt, outcome, error
          from core_audit.outbox_attempts
          where event_id = ${eventId}::uuid
          order by id`),
      ),
    letTimePass: () => passTime(database),
    clear: () =>
      runSql(
        fresh.url,
        `update core_audit.outbox_deliveries set state = 'discarded', lease_token = null, lease_until = null;
         delete from core_audit.outbox_attempts;
         delete from core_audit.outbox_deliveries;
         delete from core_audit.outbox_events;`,
      ),
    async close() {
      await Promise.all(pools.map((pool) => pool.close()))
      await fresh.drop()
    },
  }
}

function readDeliveries(database: Database): Promise<readonly StoredDelivery[]> {
  return database.read((db) =>
    db.execute<{ [Name in keyof StoredDelivery]: StoredDelivery[Name] }>(sql`
      select event_id as "eventId", consumer, subject, state, attempts, lease_token is not null as "isLeased"
      from core_audit.outbox_deliveries
      order by position, consumer`),
  )
}

async function passTime(database: Database): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set available_at = least(available_at, statement_timestamp()),
        lease_until = case when lease_token is not null then least(lease_until, statement_timestamp()) end
      where (event_id, consumer) in (
        select event_id, consumer from core_audit.outbox_deliveries where state = 'pending' for update skip locked
      )`),
  )
}
