import type { Database, Tx } from '../database/database.ts'
import type { SQL } from '../database/sql.ts'
import { type Bell, createBell } from '../host/workers.ts'
import type { KitModule } from '../module.ts'
import { version } from '../version.ts'
import { appendToOutbox, type NewOutboxEvent, outboxInsert } from './commands/append-to-outbox.ts'
import type { OutboxConfig } from './config.ts'
import { createOutboxConsumer, type OutboxConsumer, type OutboxConsumerOptions } from './consumer.ts'
import { OutboxError } from './errors.ts'
import { outboxPermissions } from './permissions.ts'
import { createOutboxRetention } from './retention.ts'
import { outboxRoutes } from './routes.ts'

/** Events are stored in `database`, and must be appended in its transactions. */
export interface OutboxOptions {
  readonly database: Database
  readonly config: OutboxConfig
}

/** The options of a consumer in a module: see {@link Outbox.consume}. */
export type ConsumeOptions<Result> = Pick<
  OutboxConsumerOptions<Result>,
  'name' | 'healthName' | 'handle' | 'onCommitted'
>

/**
 * The outbox of a host. It is a module that every host lists: its worker deletes events after their retention, and its routes
 * `/api/system/outbox` show and repair it. Other modules append their events with it.
 */
export interface Outbox extends KitModule {
  /**
   * Appends events in the transaction of the change that they describe: both commit, or neither commits. The commit wakes
   * the consumers of this process; consumers of other processes find the events with their next poll. Uses `tx.send`, so a
   * failure rejects the transaction.
   */
  append(tx: Tx, ...events: readonly NewOutboxEvent[]): Promise<void>
  /**
   * Returns the insert as an SQL fragment, for a write that changes a row and appends its event in one statement:
   * `` sql`with outbox as (${outbox.insert(tx, [event])}) update …` ``
   *
   * @throws {TypeError} when `events` is empty
   */
  insert(tx: Tx, events: readonly NewOutboxEvent[]): SQL
  /**
   * Adds a consumer to `processing`. Its writes commit exactly once for each event, and it handles events of one subject in
   * order.
   * @throws {TypeError} when a consumer with this name already exists
   */
  consume<Result = void>(options: ConsumeOptions<Result>): OutboxConsumer
  /**
   * The module of the consumers and their health checks. Hosts that serve the API list it; hosts for background jobs do not
   * list it.
   */
  readonly processing: KitModule
  /**
   * Wakes the consumers of this process. {@link Outbox.append} calls it; call it yourself only after a commit that appended
   * events in another way.
   */
  readonly wake: () => void
}

/**
 * Creates the outbox of a host. Nothing runs before the host starts its workers.
 * @throws {TypeError} naming the option that is out of bounds
 */
export function createOutbox({ database, config }: OutboxOptions): Outbox {
  const consumers = new Map<string, { readonly consumer: OutboxConsumer; readonly bell: Bell }>()
  const wake = (): void => {
    for (const { bell } of consumers.values()) bell.ring()
  }
  return {
    name: '@vertical-kit/core-audit/outbox',
    version,
    router: outboxRoutes({ database, wake }),
    permissions: outboxPermissions,
    errors: [OutboxError],
    workers: [createOutboxRetention({ database, config: { retentionMs: config.retentionMs } })],
    append(tx, ...events) {
      tx.afterCommit(wake)
      return appendToOutbox(tx, ...events)
    },
    insert(tx, events) {
      tx.afterCommit(wake)
      return outboxInsert(events)
    },
    consume(options) {
      if (consumers.has(options.name))
        throw new TypeError(`name: the consumer ${options.name} already exists`)
      const bell = createBell()
      const consumer = createOutboxConsumer({ ...options, database, config, bell })
      consumers.set(options.name, { consumer, bell })
      return consumer
    },
    processing: {
      name: '@vertical-kit/core-audit/outbox-processing',
      version,
      get workers() {
        return [...consumers.values()].map(({ consumer }) => consumer.worker)
      },
      get health() {
        return [...consumers.values()].map(({ consumer }) => consumer.health)
      },
    },
    wake,
  }
}
