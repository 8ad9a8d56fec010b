import type { Database, Tx } from '../database/database.ts'

/** A transaction that has finished its work and keeps its locks, but has not committed. */
export interface HeldTransaction<T> {
  /** Commits, and resolves with the result of the work. */
  commit(): Promise<T>
  rollback(): Promise<void>
}

/**
 * Runs `work` in a transaction that stays open until `commit` or `rollback`. This is one side of a race: its locks block
 * the other side. Resolves when `work` is done and rejects when `work` fails. `untilBlocked` waits until the other side is
 * blocked.
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
