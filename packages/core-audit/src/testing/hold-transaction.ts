import type { Database, Tx } from '../database/database.ts'

/** A transaction that has done its work, keeps its locks, and is not committed yet. */
export interface HeldTransaction<T> {
  /** Commits; resolves with the result of the work. */
  commit(): Promise<T>
  rollback(): Promise<void>
}

/**
 * Does `work` in a transaction that stays open until `commit` or `rollback`: one side of a race, whose other side meets
 * its locks. Resolves once the work is done; rejects as the work does. With `untilBlocked` a test knows that the other
 * side waits.
 */
export async function holdTransaction<T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
): Promise<HeldTransaction<T>> {
  const worked = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = database.transaction(async (tx) => {
    const result = await work(tx)
    worked.resolve()
    await end.promise
    return result
  })
  done.catch(worked.reject)
  await worked.promise
  return {
    commit() {
      end.resolve()
      return done
    },
    async rollback() {
      const rolledBack = new Error('rolled back')
      end.reject(rolledBack)
      await done.catch((error: unknown) => {
        if (error !== rolledBack) throw error
      })
    },
  }
}
