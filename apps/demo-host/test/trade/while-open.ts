import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'

/** Runs `first` in a transaction, and commits it when `second` waits for its locks. Returns the result of `second`. */
export async function whileOpen<T>(
  database: Database,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const held = await holdTransaction(database, first)
  const answer = second()
  await untilBlocked(database)
  await held.commit()
  return answer
}
