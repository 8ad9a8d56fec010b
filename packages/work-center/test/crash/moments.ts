import type { Database, Db } from '@vertical-kit/core-audit/database'

/** Called at each moment at which a test can kill the process: before a statement, and before and after a commit. */
export type OnMoment = (name: 'statement' | 'before commit' | 'after commit') => void

/** Wraps a database so that it calls `onMoment` at these moments. */
export function observeMoments(database: Database, onMoment: OnMoment): Database {
  const telling = <Handle extends Db>(handle: Handle): Handle => ({
    ...handle,
    execute: ((statement) => {
      onMoment('statement')
      return handle.execute(statement)
    }) satisfies Db['execute'],
  })
  return {
    read: (work) => database.read((db) => work(telling(db))),
    async transaction(work) {
      const result = await database.transaction(async (tx) => {
        const outcome = await work(telling(tx))
        onMoment('before commit')
        return outcome
      })
      onMoment('after commit')
      return result
    },
    statement: (work) => database.statement((tx) => work(telling(tx))),
    append: (work) => database.append((tx) => work(telling(tx))),
    onAudited: database.onAudited,
    newId: database.newId,
    clock: database.clock,
    get load() {
      return database.load
    },
    ping: () => database.ping(),
    close: () => database.close(),
  }
}
