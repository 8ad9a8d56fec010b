import { newId } from '@vertical-kit/core-audit'
import {
  createDatabase,
  type Database,
  type DatabaseConfig,
  databaseDefaults,
} from '@vertical-kit/core-audit/database'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import {
  createOutbox,
  type NewOutboxEvent,
  type Outbox,
  type OutboxConsumer,
  outboxDefaults,
} from '@vertical-kit/core-audit/outbox'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { pooled } from '../../../vitest.pooled-database.ts'
import { readWorkCenterConfig, type WorkCenterConfig } from '../src/config.ts'
import { consumeOutbox } from '../src/event-handlers/consume-outbox.ts'
import type { EventHandler } from '../src/event-handlers/event-handler.ts'
import type { VersionChanges } from '../src/inbox/version-changes.ts'
import { definitions } from './definitions.ts'
import { openDatabase } from './harness.ts'
import { addTradeRoles } from './people.ts'

export const administratorRoleCodes = ['trade.administrator']

/** The configuration of a deployment that sets no configuration keys. */
export const config: WorkCenterConfig = readConfiguration({}, readWorkCenterConfig)

/** A database with the Work Center's tables but without a host, for tests below the level of routes. */
export interface Desk {
  readonly url: string
  readonly database: Database
  /** Opens an additional pool, like the pool of another replica. Closing the desk also closes this pool. */
  openPool(config?: Partial<DatabaseConfig>): Database
  close(): Promise<void>
}

/** Opens a desk with the roles that `addTradeRoles` creates. */
export async function openDesk(): Promise<Desk> {
  const fresh = await openDatabase()
  const pools: Database[] = []
  const openPool = (config: Partial<DatabaseConfig> = {}): Database => {
    const pool = createDatabase({ ...databaseDefaults, ...pooled(fresh.url), ...config })
    pools.push(pool)
    return pool
  }
  const database = openPool()
  await addTradeRoles(database)
  return {
    url: fresh.url,
    database,
    openPool,
    async close() {
      await Promise.all(pools.map((pool) => pool.close()))
      await fresh.drop()
    },
  }
}

/** Returns an event that a vertical could append. Its default subject is unique. */
export const event = (overrides: Partial<NewOutboxEvent> = {}): NewOutboxEvent => ({
  type: 'trade.happened',
  source: 'trade',
  subject: `thing/${newId()}`,
  actorUserId: null,
  correlationId: null,
  causationId: null,
  schemaVersion: 1,
  data: {},
  ...overrides,
})

/** Creates the outbox of a database with the default configuration of a deployment. */
export const outboxOf = (database: Database, config = outboxDefaults): Outbox =>
  createOutbox({ database, config })

export const append = (database: Database, ...events: readonly Partial<NewOutboxEvent>[]): Promise<void> =>
  database.transaction((tx) => outboxOf(database).append(tx, ...events.map(event)))

/** An outbox processor that runs only when the test calls `run`. */
export interface Processor {
  /** Runs one cycle, which ends when no delivery is due. */
  run(signal?: AbortSignal): Promise<void>
  readonly health: OutboxConsumer['health']
  readonly announced: readonly VersionChanges[]
  /** The parsed log lines that the processor has written so far. */
  readonly logged: readonly Record<string, unknown>[]
}

export function makeProcessor(
  database: Database,
  eventHandlers: readonly EventHandler[],
  options: { readonly maxAttempts?: number; readonly batchSize?: number } = {},
): Processor {
  const announced: VersionChanges[] = []
  const log = captureLog()
  const { worker, health } = consumeOutbox(outboxOf(database, { ...outboxDefaults, ...options }), {
    ...{ config, definitions, eventHandlers, administratorRoleCodes },
    announce: (changes) => announced.push(changes),
  })
  return {
    run: (signal = new AbortController().signal) => worker.runOnce(signal, log.logger),
    health,
    announced,
    get logged() {
      return log.entries
    },
  }
}

/** Changes times in the database so that delayed retries are due and leases have expired. */
export const letTimePass = (database: Database) =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set available_at = least(available_at, statement_timestamp()),
        lease_until = case when lease_token is not null then least(lease_until, statement_timestamp()) end
      where (event_id, consumer) in (
        select event_id, consumer from core_audit.outbox_deliveries where state = 'pending' for update skip locked
      )`),
  )

/** Makes all events due again, as if no consumer had handled them. */
export const deliverAgain = (database: Database) =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set state = 'pending', attempts = 0, available_at = statement_timestamp()
      where state = 'completed'`),
  )

/** Counts deliveries by state. */
export async function deliveryStates(database: Database): Promise<Readonly<Record<string, number>>> {
  const rows = await database.read((db) =>
    db.execute<{ state: string; count: number }>(sql`
      select state, count(*)::int as count from core_audit.outbox_deliveries group by state`),
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** The columns of a stored task that tests compare. */
export type StoredTask = {
  id: string
  code: string
  deduplication_key: string
  title: string
  status: string
  version: number
  claimed_by_user_id: string | null
  is_closed: boolean
}

export const tasksOf = (database: Database): Promise<readonly StoredTask[]> =>
  database.read((db) =>
    db.execute<StoredTask>(sql`
      select id, code, deduplication_key, title, status, version, claimed_by_user_id, closed_at is not null as is_closed
      from work_center.tasks
      order by id`),
  )

/** Lists the user id of every entry. An id appears once per entry. */
export const entryUsers = async (database: Database): Promise<readonly string[]> => {
  const rows = await database.read((db) =>
    db.execute<{ user_id: string }>(sql`select user_id from work_center.entries order by user_id`),
  )
  return rows.map(({ user_id }) => user_id)
}

const items = ['entries', 'tasks', 'notifications', 'user_versions', 'preferences', 'substitutions']
const mail = ['mail_requests', 'mails', 'mail_settings']

/** Deletes all items, mails, versions and events, but does not delete users. */
export async function clear(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    for (const table of [...items, ...mail]) {
      await tx.execute(sql.raw(`delete from work_center.${table}`))
    }
  })
  await forgetEvents(database)
}

/** Deletes all events, including events that are not handled yet. */
export const forgetEvents = (database: Database) =>
  database.transaction(async (tx) => {
    await tx.execute(sql`
      update core_audit.outbox_deliveries set state = 'discarded', lease_token = null, lease_until = null`)
    for (const table of ['outbox_attempts', 'outbox_deliveries', 'outbox_events']) {
      await tx.execute(sql.raw(`delete from core_audit.${table}`))
    }
  })
