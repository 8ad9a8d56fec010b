import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** Returns whether this year and each of the next `years` years has a partition, by the server's clock. */
export async function partitionsAreReady(db: Db, years: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select
    from generate_series(0, ${years}::int) n
    cross join core_audit.first_event_id(
      (date_trunc('year', now() at time zone 'UTC') + make_interval(years => n)) at time zone 'UTC'
    ) as first
    where not exists (
      select
      from core_audit.audit_partitions()
      where (first_id is null or first_id <= first) and end_id > first
    )`)
  return rows.length === 0
}
