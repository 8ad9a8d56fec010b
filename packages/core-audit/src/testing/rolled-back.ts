import type { Database, Tx } from '../database/database.ts'

/** Runs code in a transaction and rolls its changes back. */
export async function rolledBack(database: Database, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const undone = new Error('Rolled back')
  const running = database.transaction(async (tx) => {
    await work(tx)
    throw undone
  })
  await running.catch((error: unknown) => {
    if (error !== undone) throw error
  })
}
