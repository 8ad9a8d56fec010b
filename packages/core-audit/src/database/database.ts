import { CoreError } from '../errors.ts'
import type { DatabaseConfig } from './config.ts'
import { type Connection, openConnection } from './connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import { translateDatabaseError } from './database-errors.ts'
import { preparePooled, serverSettings, trackedSettings } from './session-settings.ts'
import { type AfterCommit, type Db, openDb, openTx, type Tx, withOneStatement } from './tx.ts'

export type { Db, Tx } from './tx.ts'

/** The access to the database: reads and transactions, behind a bounded wait for a connection. */
export interface Database {
  /**
   * Runs reads outside a transaction.
   * @throws {CoreError} service.unavailable if no connection becomes free in time or the server cannot be reached
   */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Runs `work` in one READ COMMITTED transaction: commits when the promise resolves, rolls back when it rejects.
   * Statements started without awaiting each other are pipelined, in order, on the transaction's connection.
   * @throws {CoreError} service.unavailable like `read`
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs exactly one statement, which PostgreSQL commits immediately. If a write is one data-modifying statement, this
   * saves the round trips of `begin` and `commit`. A second statement rejects with a `TypeError`.
   */
  statement<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The current number of connections in use and of work waiting for one. */
  readonly load: { readonly runningCount: number; readonly waitingCount: number }
  /** Waits up to 5 s for running statements, then closes every connection. Later work is rejected. */
  close(): Promise<void>
}

/** How long `close` waits for running statements. */
const closeGraceSeconds = 5

/** A connection, and the `Db` for reads on it. */
interface Session {
  readonly connection: Connection
  readonly db: Db
}

/** Opens the pool. Nothing connects before the first statement, so a host can start while its database is unreachable. */
export function createDatabase(config: DatabaseConfig): Database {
  const pool = createConnectionPool<Session>({
    max: config.poolMax,
    waitMs: config.poolWaitMs,
    open: (onLost) => openSession(config, onLost),
    ...(config.pooler !== 'none' && { prepare: ({ connection }) => preparePooled(connection, config) }),
    refusal: () => new CoreError('service.unavailable', { detail: 'The service is busy. Try again.' }),
  })
  const run = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    pool.run(work).catch((error: unknown) => {
      throw translateDatabaseError(error)
    })

  const commit = async <T>(
    work: (connection: Connection, afterCommit: AfterCommit) => Promise<T>,
  ): Promise<T> => {
    const afterCommit: AfterCommit = new Set()
    const result = await run(({ connection }) => work(connection, afterCommit))
    for (const act of afterCommit) act()
    return result
  }

  return {
    read: (work) => run(({ db }) => work(db)),
    transaction: (work) =>
      commit((connection, afterCommit) => connection.begin((runner) => work(openTx(runner, afterCommit)))),
    statement: (work) => commit((connection, afterCommit) => withOneStatement(connection, afterCommit, work)),
    get load() {
      return { runningCount: pool.runningCount, waitingCount: pool.waitingCount }
    },
    close: () => pool.close(closeGraceSeconds),
  }
}

function openSession(config: DatabaseConfig, onLost: () => void): Session {
  const connection = openConnection(config.url, { ...connectionOptions(config), onLost })
  return { connection, db: openDb(connection) }
}

function connectionOptions(config: DatabaseConfig) {
  return {
    // Instants stay text: a Date has no microseconds, which cursors need. JSON parameters are already text.
    types: {
      date: { to: 1184, from: [1082, 1083, 1114, 1184], serialize: asIs, parse: asIs },
      json: { to: 114, from: [114, 3802], serialize: asIs, parse: JSON.parse },
    },
    // Without a statement timeout on the server, a slow answer cannot be distinguished from a silent server.
    answerDeadlineMs:
      config.statementTimeoutMs === 0 ? null : config.statementTimeoutMs + config.answerMarginMs,
    connect_timeout: config.connectTimeoutSeconds,
    idle_timeout: 60,
    prepare: config.preparedStatements,
    connection: {
      ...trackedSettings(config),
      ...(config.pooler === 'none' && serverSettings(config)),
    },
  }
}

const asIs = (text: string): string => text
