import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** Returns the names of the partitions that lack an index of the search, newest first. Reads only the catalog. */
export async function partitionsWithoutSearchIndexes(db: Db): Promise<readonly string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select name
    from core_audit.audit_partitions() partition
    where (
      select count(*)
      from pg_inherits
      join pg_index on indexrelid = inhrelid and indisvalid
      where indrelid = to_regclass(format('core_audit.%I', partition.name))
        and inhparent in (
          to_regclass('core_audit.audit_events_by_actor'),
          to_regclass('core_audit.audit_events_by_action'),
          to_regclass('core_audit.audit_events_by_type')
        )
    ) < 3`)
  return rows.map(({ name }) => name)
}
