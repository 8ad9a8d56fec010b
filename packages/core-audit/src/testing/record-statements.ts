import type { Database, Db, Tx } from '../database/database.ts'
import { type SQL, sql } from '../database/sql.ts'

/** The statements that code sends to the observed databases. */
export interface StatementRecord {
  /** The statements in the order in which they were sent. */
  readonly statements: readonly SQL[]
  /** Equals `statements.length`. */
  readonly count: number
  /** Number of transactions, plus the number of statements that commit on their own. */
  readonly commitCount: number
  /** Clears the record. */
  reset(): void
  /** Returns a database that records every statement and passes it to `database`. */
  observe(database: Database): Database
}

/**
 * Records the statements that code under test sends to its database: pass `observe(database)` to the code, then read the
 * record. It does not record `begin`, `commit`, savepoints, or statements in savepoints. It does not record statements that
 * bypass the observed database either, such as the statement with which `openTestHost` loads permissions for a request.
 */
export function recordStatements(): StatementRecord {
  const statements: SQL[] = []
  let commitCount = 0
  const recorded = <Handle extends Db>(handle: Handle): Handle => ({
    ...handle,
    execute: ((statement) => {
      statements.push(statement)
      return handle.execute(statement)
    }) satisfies Db['execute'],
  })
  const recordedTx = (tx: Tx): Tx => ({
    ...recorded(tx),
    send(statement) {
      statements.push(statement)
      return tx.send(statement)
    },
  })
  return {
    statements,
    get count() {
      return statements.length
    },
    get commitCount() {
      return commitCount
    },
    reset() {
      statements.length = 0
      commitCount = 0
    },
    observe: (database) => ({
      read: (work, since) => database.read((db) => work(recorded(db)), since),
      get position() {
        return database.position
      },
      transaction(work) {
        commitCount += 1
        return database.transaction((tx) => work(recordedTx(tx)))
      },
      statement(work) {
        commitCount += 1
        return database.statement((tx) => work(recordedTx(tx)))
      },
      append(work) {
        commitCount += 1
        return database.append((tx) => work(recordedTx(tx)))
      },
      onAudited: database.onAudited,
      newId: database.newId,
      clock: database.clock,
      get load() {
        return database.load
      },
      ping() {
        statements.push(sql`select current_setting('transaction_read_only')`)
        return database.ping()
      },
      close: () => database.close(),
    }),
  }
}
