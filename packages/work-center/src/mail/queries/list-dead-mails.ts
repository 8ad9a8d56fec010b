import { sql, toInstant } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { mails } from '../../schema-internal.ts'

/** A mail that became a dead letter, without its address and content. */
export interface DeadMail {
  readonly id: string
  readonly userId: string
  readonly itemCount: number
  readonly deadSinceUtc: string
  readonly failure: Readonly<Record<string, unknown>> | null
}

/**
 * Lists dead letters, newest first, with the number of all. `limit` is `null` for all of them. Uses the index `mails_ended`.
 */
export async function listDeadMails(
  db: Db,
  limit: number | null,
): Promise<{ readonly letters: readonly DeadMail[]; readonly deadCount: number }> {
  const rows = await db.execute<
    RowOf<typeof mails, 'id' | 'userId' | 'stateSince' | 'failure'> & {
      item_count: number
      dead_count: number
    }
  >(sql`
    select id, user_id, cardinality(item_ids) as item_count, state_since, failure, count(*) over ()::int as dead_count
    from work_center.mails
    where state = 'dead'
    order by state_since desc
    limit ${limit}::int`)
  const letters = rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    itemCount: row.item_count,
    deadSinceUtc: toInstant(row.state_since),
    failure: row.failure as DeadMail['failure'],
  }))
  return { letters, deadCount: rows[0]?.dead_count ?? 0 }
}
