import type { Database } from '@vertical-kit/core-audit/database'
import { blockedCount } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'

type Call = () => Promise<Response>

/** Locks a document's row until all calls wait for it in order, and then releases it. Returns their responses. */
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
      // The object keeps the transaction from awaiting the calls, which themselves wait for the transaction.
      return { answers }
    })
    .then(({ answers }) => Promise.all(answers))
}
