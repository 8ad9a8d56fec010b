import type { Database, Db } from '@vertical-kit/core-audit/database'

/** Counts the statements that pass to a database. */
export interface StatementCount {
  readonly count: number
  reset(): void
  observe(database: Database): Database
}

/** Counts what goes through the database it observes; the rights a request comes with are loaded past it. */
export function countStatements(): StatementCount {
  let count = 0
  const counting = <Handle extends Db>(handle: Handle): Handle => ({
    ...handle,
    execute: ((statement) => {
      count += 1
      return handle.execute(statement)
    }) satisfies Db['execute'],
  })
  return {
    get count() {
      return count
    },
    reset() {
      count = 0
    },
    observe: (database) => ({
      read: (work) => database.read((db) => work(counting(db))),
      transaction: (work) => database.transaction((tx) => work(counting(tx))),
      statement: (work) => database.statement((tx) => work(counting(tx))),
      get load() {
        return database.load
      },
      close: () => database.close(),
    }),
  }
}
