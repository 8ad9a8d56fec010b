import {
  createDatabase,
  type Database,
  type DatabaseConfig,
  databaseDefaults,
} from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
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

/** The outbox of a database of its own, for a test file. */
export interface Outbox {
  readonly url: string
  readonly database: Database
  /** One more pool, as another replica has. Closed with the outbox. */
  openPool(config?: Partial<DatabaseConfig>): Database
  /** Every delivery in the order of its event's appending. */
  deliveries(): Promise<readonly StoredDelivery[]>
  /** Lets what waits become due, and leases run out: time passes in the database, not here. */
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
    async letTimePass() {
      await database.statement((tx) =>
        tx.execute(sql`
          update core_audit.outbox_deliveries
          set available_at = least(available_at, statement_timestamp()),
            lease_until = least(lease_until, statement_timestamp())
          where state = 'pending'`),
      )
    },
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
