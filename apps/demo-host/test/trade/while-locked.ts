import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

type Call = () => Promise<Response>

/**
 * Holds a document's row until all the calls wait, one behind the other in their order, then lets go; returns what they
 * were answered.
 */
export async function whileLocked(
  database: Database,
  { id }: { readonly id: string },
  calls: readonly Call[],
): Promise<readonly Response[]> {
  return database
    .transaction(async (tx) => {
      await tx.execute(sql`select from trade.documents where id = ${id}::uuid for no key update`)
      const answers: Promise<Response>[] = []
      let answeredCount = 0
      for (const call of calls) {
        const answer = call()
        answers.push(answer)
        void answer.finally(() => {
          answeredCount += 1
        })
        while ((await waitingCount(tx)) < answers.length) {
          if (answeredCount > 0) throw new Error('A call was answered without waiting')
        }
      }
      // In an object, so that the transaction does not wait for the answers that wait for it.
      return { answers }
    })
    .then(({ answers }) => Promise.all(answers))
}

/** How many sessions wait for this transaction, or for one that waits for it. */
export async function waitingCount(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ waiting: number }>(sql`
    with recursive waiting (pid) as (
      select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
      union
      select l.pid from waiting w join pg_locks l on not l.granted and w.pid = any(pg_blocking_pids(l.pid))
    )
    select count(*)::int as waiting from waiting`)
  return row?.waiting ?? 0
}
