import type { Database } from '@vertical-kit/core-audit/database'
import { blockedCount } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'

type Call = () => Promise<Response>

/** Locks a document's row, starts the calls in order until all wait for the lock, releases it and returns the responses. */
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
        while ((await blockedCount(database)) < answers.length) {
          if (answeredCount > 0) throw new Error('A call completed without waiting')
        }
      }
      // Return an object: if the callback returned the promises, calls and transaction would wait for each other.
      return { answers }
    })
    .then(({ answers }) => Promise.all(answers))
}
