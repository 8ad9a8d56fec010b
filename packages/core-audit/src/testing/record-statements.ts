import type { SQL } from 'drizzle-orm/sql'
import type { Database, Db } from '../database/database.ts'

/** The statements that passed to the databases it observes. */
export interface StatementRecord {
  /** In the order they were sent. */
  readonly statements: readonly SQL[]
  /** `statements.length`. */
  readonly count: number
  /** Transactions, and statements that commit by themselves. */
  readonly commitCount: number
  /** Forgets everything recorded so far. */
  reset(): void
  /** The same database, with every statement recorded. */
  observe(database: Database): Database
}

/**
 * Records what code under test sends to its database: give the code `observe(database)`, then look at the record. Not
 * recorded: `begin` and `commit`, savepoints and what runs in them, and what goes past the observed database, such as the
 * permissions that `openTestHost` loads for a request.
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
      read: (work) => database.read((db) => work(recorded(db))),
      transaction(work) {
        commitCount += 1
        return database.transaction((tx) => work(recorded(tx)))
      },
      statement(work) {
        commitCount += 1
        return database.statement((tx) => work(recorded(tx)))
      },
      get load() {
        return database.load
      },
      close: () => database.close(),
    }),
  }
}
