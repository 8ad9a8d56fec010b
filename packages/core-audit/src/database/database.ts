import { CoreError } from '../errors.ts'
import type { DatabaseConfig } from './config.ts'
import { type Connection, openConnection } from './connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import { createDatabaseClock, createIds, type DatabaseClock } from './database-clock.ts'
import { translateDatabaseError } from './database-errors.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { driverTypes } from './driver-types.ts'
import { preparePooled, serverSettings, trackedSettings } from './session-settings.ts'
import type { SQL } from './sql.ts'
import {
  behind,
  createStandby,
  currentPosition,
  type DatabaseIdentity,
  type ReadPosition,
  readIdentity,
  type Standby,
  standbyBusy,
} from './standby.ts'
import { type AuditedObject, type Db, openDb, openTx, type Tx, type TxParts, withOneStatement } from './tx.ts'

export type { ReadPosition } from './standby.ts'
export type { AuditedObject, Db, Tx } from './tx.ts'

/** Access to the database. Work waits for a free connection for a limited time. */
export interface Database {
  /**
   * Runs reads outside a transaction. While every connection is in use, up to four reads and appends share one, and their
   * statements run one after the other: a statement must not depend on the state of the connection. With `since`, a standby can
   * run them if it shows everything up to that position; if it does not, or fails, the primary runs them. `work` must then only
   * read, because it can run twice, and its result must not depend on the clock of the server.
   * @throws {CoreError} service.unavailable if no connection becomes free in time or the server cannot be reached
   */
  read<T>(work: (db: Db) => Promise<T>, since?: ReadPosition): Promise<T>
  /** The column that reads the current position for `read`; undefined without a standby. */
  readonly position?: SQL<ReadPosition | null> | undefined
  /**
   * Runs `work` in one READ COMMITTED transaction. Commits when `work` resolves, and rolls back when `work` rejects.
   * Concurrent statements are sent immediately and run on the transaction's connection, in the order of their calls.
   * @throws {CoreError} service.unavailable under the same conditions as `read`
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs one statement, which PostgreSQL commits immediately. For a write that consists of one statement, this saves the
   * round trips of `begin` and `commit`. A second statement rejects with a `TypeError`.
   */
  statement<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Like `statement`, for a statement that only adds rows. While every connection is in use, it shares one as reads do, which
   * saves a fifth of the CPU time of a new note. The statement must not wait for other transactions, because those behind it
   * would wait, too: so it must not change or delete a row, or insert a key that others can insert.
   */
  append<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Calls `listener` after each commit of this pool that wrote audit events, with the object of each event. The process can
   * end between the commit and the call, so use it only to save time. Returns a function that ends the calls. `listener`
   * must not throw.
   */
  onAudited(listener: (objects: readonly AuditedObject[]) => void): () => void
  /**
   * Returns a new id: a lower-case UUIDv7 with the time of {@link clock}. Ids of one process sort in the order of their
   * creation. Ids of different processes do too, except for the error of the clock: a few milliseconds.
   */
  newId(): string
  /** The clock of the server. Hosts measure it at their start and every 10 s: see `clockWorker`. */
  readonly clock: DatabaseClock
  readonly load: DatabaseLoad
  /**
   * Resolves when the server has answered a statement, with whether its transactions are read-only. It does not wait for other
   * work: while all connections are in use, it opens one more and closes it again.
   * @throws {CoreError} service.unavailable if the server cannot be reached
   */
  ping(): Promise<{ readonly isReadOnly: boolean }>
  /** Waits up to 5 s for running statements, then closes every connection. Later work is rejected. */
  close(): Promise<void>
}

/** The current use of the connections. */
export interface DatabaseLoad {
  /** The name of the pool in metrics: the application name of its connections. */
  readonly poolName: string
  readonly maxCount: number
  /** Connections in use. */
  readonly runningCount: number
  readonly idleCount: number
  /** Pieces of work that wait for a connection. */
  readonly waitingCount: number
}

/** Idle connections are closed after one to two minutes. */
const idleMs = 60_000

/** Maximum time that `close` waits for running statements. */
const closeGraceSeconds = 5

/**
 * Maximum number of reads and appends that share a connection while all are in use. More would save little: 1, 4 and 16
 * statements sent together cost the process and the server 46, 32 and 31 µs each. Through a pooler, none share a connection:
 * the server connection of a pooler can change after each statement.
 */
const sharesPerConnection = 4

/** A connection, and a `Db` that reads on this connection. */
interface Session {
  readonly connection: Connection
  readonly db: Db
}

/** The configuration of each pool. */
const configs = new WeakMap<Database, DatabaseConfig>()

/**
 * Returns the configuration with which a pool was created. It identifies a tenant, which has a new pool each time it opens.
 * Undefined for an object that only wraps a pool.
 */
export const configOf = (database: Database): DatabaseConfig | undefined => configs.get(database)

/** Creates the pool. It connects at the first statement, so a host can start while its database is unreachable. */
export function createDatabase(config: DatabaseConfig): Database {
  const pool = createConnectionPool<Session>({
    name: config.applicationName,
    max: config.poolMax,
    sharedMax: config.pooler === 'none' ? sharesPerConnection : 1,
    waitMs: config.poolWaitMs,
    idleMs,
    open: (onLost) => openSession(config, onLost),
    ...(config.pooler !== 'none' && { prepare: ({ connection }) => preparePooled(connection, config) }),
    refusal: () => new CoreError('service.unavailable', { detail: 'The service is busy. Try again.' }),
  })
  const translate = (error: unknown): never => {
    throw translateDatabaseError(error)
  }

  const listeners = new Set<(objects: readonly AuditedObject[]) => void>()
  type Write<T> = (connection: Connection, parts: TxParts) => Promise<T>
  const commit = async <T>(use: typeof pool.run, work: Write<T>): Promise<T> => {
    const afterCommit: TxParts['afterCommit'] = new Set()
    const audited: AuditedObject[] = []
    const written = use(({ connection }) => work(connection, { afterCommit, audited, newId }))
    const result = await written.catch(translate)
    for (const act of afterCommit) act()
    if (audited.length > 0) for (const listener of listeners) listener(audited)
    return result
  }

  let identity: Promise<DatabaseIdentity> | undefined
  const identify = (): Promise<DatabaseIdentity> => {
    identity ??= pool
      .share(({ db }) => readIdentity(db))
      .catch((error: unknown) => {
        identity = undefined
        return translate(error)
      })
    return identity
  }
  const standby = config.readUrl === undefined ? undefined : openStandby(config.readUrl, config, identify)
  const read = async <T>(work: (db: Db) => Promise<T>, since?: ReadPosition): Promise<T> => {
    if (standby !== undefined && since !== undefined) {
      const result = await standby.read(work, since)
      if (result !== behind) return result
    }
    return pool.share(({ db }) => work(db)).catch(translate)
  }
  const clock = createDatabaseClock(read)
  const newId = createIds(clock)

  const database: Database = {
    read,
    position: standby && currentPosition,
    transaction: (work) =>
      commit(pool.run, (connection, parts) => {
        const sent: Promise<unknown>[] = []
        return answered(
          connection.begin((runner) => work(openTx(runner, { ...parts, sent }))),
          sent,
        )
      }),
    statement: (work) => commit(pool.run, (connection, parts) => withOneStatement(connection, parts, work)),
    append: (work) => commit(pool.share, (connection, parts) => withOneStatement(connection, parts, work)),
    onAudited(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    newId,
    clock,
    get load() {
      const { runningCount, idleCount, waitingCount } = pool
      return {
        ...{ poolName: config.applicationName, maxCount: config.poolMax },
        ...{ runningCount, idleCount, waitingCount },
      }
    },
    async ping() {
      const asked = pool.runAtOnce(({ connection }) =>
        connection.statement<{ isReadOnly: boolean }>(
          `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
        ),
      )
      const [answer] = await asked.catch(translate)
      return { isReadOnly: answer?.isReadOnly === true }
    },
    async close() {
      await Promise.all([pool.close(closeGraceSeconds), standby?.close()])
    },
  }
  configs.set(database, config)
  return database
}

/**
 * Settles like `ended`, unless one of the sent statements has failed: this failure is the cause of those of later statements, and
 * PostgreSQL has answered the commit with a rollback.
 */
async function answered<T>(ended: Promise<T>, sent: readonly Promise<unknown>[]): Promise<T> {
  await Promise.allSettled([ended])
  await Promise.all(sent)
  return ended
}

/** Opens a second pool. Its waits are short, because the primary can serve every read. */
function openStandby(
  url: string,
  config: DatabaseConfig,
  identify: () => Promise<DatabaseIdentity>,
): Standby & { close(): Promise<void> } {
  const { target_session_attrs: _, ...options } = connectionOptions({ ...config, pooler: 'none' })
  const pool = createConnectionPool<Session>({
    name: `${config.applicationName}-standby`,
    max: config.poolMax,
    // A read that waits behind a long list would count as silence of the standby, and pause its use.
    sharedMax: 1,
    ...{ waitMs: 100, countsTimeouts: false },
    idleMs,
    open(onLost) {
      const connection = openConnection(url, { ...options, prepare: true, connect_timeout: 1, onLost })
      return { connection, db: openDb(connection) }
    },
    refusal: standbyBusy,
  })
  return {
    ...createStandby((work) => pool.share(({ db }) => work(db)), identify),
    close: () => pool.close(closeGraceSeconds),
  }
}

function openSession(config: DatabaseConfig, onLost: () => void): Session {
  const connection = openConnection(config.url, { ...connectionOptions(config), onLost })
  return { connection, db: openDb(connection) }
}

function connectionOptions(config: DatabaseConfig) {
  return {
    types: driverTypes,
    password: config.password,
    // Without a statement timeout, a slow statement looks like a silent server. In this case, set no deadline.
    answerDeadlineMs:
      config.statementTimeoutMs === 0 ? null : config.statementTimeoutMs + config.answerMarginMs,
    connect_timeout: config.connectTimeoutSeconds,
    prepare: config.preparedStatements,
    // A standby may lack recent commits. PostgreSQL reports its role at the start of a connection, without a statement.
    // PgBouncer does not, so `preparePooled` reads it. With several hosts, the driver reads it, and tries the next host.
    ...((config.pooler === 'none' || parseDatabaseUrl(config.url).hosts.length > 1) && {
      target_session_attrs: 'primary' as const,
    }),
    connection: {
      ...trackedSettings(config),
      ...(config.pooler === 'none' && serverSettings(config)),
    },
  }
}
