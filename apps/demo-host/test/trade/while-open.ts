import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/** Runs `first` in a transaction that commits only once `second` waits for it; returns what `second` came to. */
export async function whileOpen<T>(
  database: Database,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  return database
    .transaction(async (tx) => {
      await first(tx)
      const answer = second()
      await someoneWaitsFor(tx)
      // In an object, so that the transaction does not wait for the answer that waits for it.
      return { answer }
    })
    .then(({ answer }) => answer)
}

/** Resolves when another session waits for a lock that this transaction holds. */
export async function someoneWaitsFor(tx: Tx): Promise<void> {
  for (;;) {
    const [row] = await tx.execute<{ blocked: boolean }>(sql`
      select exists (
        select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
      ) as blocked`)
    if (row?.blocked === true) return
  }
}
