import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { SQL } from 'drizzle-orm/sql'

/** What was sent to a database through this. */
export interface RecordedStatements {
  readonly statements: readonly SQL[]
  /** Transactions and statements that commit by themselves. */
  readonly commitCount: number
  observe(database: Database): Database
}

/** Keeps every statement that passes to the databases it observes. */
export function recordStatements(): RecordedStatements {
  const statements: SQL[] = []
  let commitCount = 0
  const recording = <Handle extends Db>(handle: Handle): Handle => ({
    ...handle,
    execute: ((statement) => {
      statements.push(statement)
      return handle.execute(statement)
    }) satisfies Db['execute'],
  })
  return {
    statements,
    get commitCount() {
      return commitCount
    },
    observe: (database) => ({
      read: (work) => database.read((db) => work(recording(db))),
      transaction(work) {
        commitCount += 1
        return database.transaction((tx) => work(recording(tx)))
      },
      statement(work) {
        commitCount += 1
        return database.statement((tx) => work(recording(tx)))
      },
      get load() {
        return database.load
      },
      close: () => database.close(),
    }),
  }
}
