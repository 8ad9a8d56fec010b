import { sql } from 'drizzle-orm/sql'
import type { Db } from '../database/database.ts'

/**
 * Returns the names of the tables of the audit log that can show other rows to readers than to this command, or drop new ones:
 * by row security or a rule.
 */
export async function findDisguised(db: Db): Promise<readonly string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select c.oid::regclass::text as name
    from pg_class c
    where c.oid in (
        select relid from pg_partition_tree('core_audit.audit_events')
        union all
        select 'core_audit.audit_seals'::regclass
      )
      and (c.relrowsecurity or exists (select from pg_rewrite where ev_class = c.oid))
    order by name`)
  return rows.map(({ name }) => name)
}
