import postgres from 'postgres'
import { rebuildIndexes } from './rebuild-indexes.ts'

/**
 * Fills a migrated database with completed executions of the user `clerk`. The executions are spread over the last 80
 * days, so none of them exceeds the retention. The keys are random, and the ids are ordered by time, like in a
 * deployment. A result has only 200 bytes instead of about 3,000, because no request reads it: only the search for keys
 * is measured.
 */
export async function fillExecutions(url: string, executionCount: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`set maintenance_work_mem = '1GB'`
    await rebuildIndexes(
      sql,
      'document_actions.executions',
      () => sql`
      insert into document_actions.executions (
        id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result, completed_at
      )
      select
        uuidv7(-age), clerk.id, gen_random_uuid()::text, sha256(''), 'trade.sales_invoice',
        clerk.id, 'post', repeat('x', 200), statement_timestamp() - age
      from core_audit.users clerk
      cross join generate_series(1, ${executionCount}::int) g
      cross join lateral (select interval '80 days' * (1 - g / ${executionCount}::float8) as age) at
      where clerk.subject = 'clerk'`,
    )
    await sql`vacuum (freeze, analyze) document_actions.executions`
    await sql`checkpoint`
  } finally {
    await sql.end({ timeout: 5 })
  }
}
