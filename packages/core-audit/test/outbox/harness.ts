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

/** A delivery as it is stored. */
export interface StoredDelivery {
  readonly eventId: string
  readonly consumer: string
  readonly subject: string
  readonly state: string
  readonly attempts: number
  readonly isLeased: boolean
}

/** A row of the history as it is stored. */
export interface StoredAttempt {
  readonly attempt: number
  readonly outcome: string
  readonly error: Readonly<Record<string, unknown>> | null
}

/** A consumer for a test, run by hand. */
export interface TestConsumer extends ReturnType<typeof createOutboxConsumer> {
  /** One cycle: until nothing is due. */
  run(signal?: AbortSignal): Promise<void>
  /** Everything logged so far, parsed. */
  readonly logged: readonly Record<string, unknown>[]
}

export interface TestConsumerOptions {
  readonly name?: string
  readonly config?: Partial<OutboxConsumerConfig>
}

/** A consumer that handles the events of a batch one after the other. */
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

/** A consumer `mail`, unless the test says otherwise, that polls often and gives up after three attempts. */
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

/** The outbox of a database of its own, for a test file. */
export interface Outbox {
  readonly url: string
  readonly database: Database
  /** One more pool, as another replica has. Closed with the outbox. */
  openPool(config?: Partial<DatabaseConfig>): Database
  /** Every delivery in the order of its event's appending. */
  deliveries(): Promise<readonly StoredDelivery[]>
  /** The history of one event, the oldest attempt first. */
  attempts(eventId: string): Promise<readonly StoredAttempt[]>
  /** Lets what waits become due, and leases run out, except of what is handled now: time passes in the database. */
  letTimePass(): Promise<void>
  /** Takes out every event. Consumers stay. */
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
