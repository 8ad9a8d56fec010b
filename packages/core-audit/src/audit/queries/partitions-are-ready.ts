import { sql } from 'drizzle-orm/sql'
import type { Db } from '../../database/database.ts'

/** Returns whether there are partitions until the end of the year in `years` years, by the server's clock. */
export async function partitionsAreReady(db: Db, years: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select
    from core_audit.audit_partitions()
    where end_id >= core_audit.first_event_id(
      (date_trunc('year', now() at time zone 'UTC') + make_interval(years => ${years + 1}::int)) at time zone 'UTC'
    )`)
  return rows.length > 0
}
