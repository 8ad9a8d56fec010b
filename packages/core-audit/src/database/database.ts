import { CoreError } from '../errors.ts'
import type { DatabaseConfig } from './config.ts'
import { type Connection, openConnection } from './connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import { translateDatabaseError } from './database-errors.ts'
import { type AfterCommit, type Db, openDb, openTx, type Tx, withOneStatement } from './tx.ts'

export type { Db, Tx } from './tx.ts'

/** The one way to the database: reads, transactions, and a bounded wait in front of both. */
export interface Database {
  /**
   * Runs reads outside a transaction.
   * @throws {CoreError} service.unavailable when no connection comes free in time or the server cannot be reached
   */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Runs `work` in one READ COMMITTED transaction: it commits when the promise resolves, rolls back when it rejects.
   * Statements started without awaiting each other are pipelined, in order, on the transaction's connection.
   * @throws {CoreError} service.unavailable as for `read`
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs exactly one statement, which PostgreSQL commits by itself: it saves the round trips of `begin` and `commit`
   * where a write is one data-modifying statement. A second statement is a `TypeError`.
   */
  statement<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Connections in use and work waiting for one, now. */
  readonly load: { readonly runningCount: number; readonly waitingCount: number }
  /** Waits for running statements, 5 s at most, then closes every connection. What comes later is refused. */
  close(): Promise<void>
}

/** How long closing waits for what still runs. */
const closeGraceSeconds = 5

/** A connection, and what reads go through. */
interface Session {
  readonly connection: Connection
  readonly db: Db
}

/** Opens the pool. Nothing connects before the first statement, so a host starts while its database does not answer. */
export function createDatabase(config: DatabaseConfig): Database {
  const pool = createConnectionPool<Session>({
    max: config.poolMax,
    waitMs: config.poolWaitMs,
    open: (onLost) => openSession(config, onLost),
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
    // Instants stay text: a Date has no microseconds, which cursors need. JSON goes out as the text it was made into.
    types: {
      date: { to: 1184, from: [1082, 1083, 1114, 1184], serialize: asIs, parse: asIs },
      json: { to: 114, from: [114, 3802], serialize: asIs, parse: JSON.parse },
    },
    // Without a limit of the server's, only the network can tell that an answer will not come.
    answerDeadlineMs:
      config.statementTimeoutMs === 0 ? null : config.statementTimeoutMs + config.answerMarginMs,
    connect_timeout: config.connectTimeoutSeconds,
    idle_timeout: 60,
    connection: {
      application_name: config.applicationName,
      TimeZone: 'UTC',
      search_path: 'pg_catalog, pg_temp',
      statement_timeout: config.statementTimeoutMs,
      lock_timeout: config.lockTimeoutMs,
      idle_in_transaction_session_timeout: config.idleInTransactionTimeoutMs,
    },
  }
}

const asIs = (text: string): string => text
