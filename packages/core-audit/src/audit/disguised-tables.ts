import type { Db } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/**
 * Returns the names of the tables of the audit log that can show other rows to readers than to this command, or drop new ones:
 * a view in the place of a table, row security, a rule, a trigger for inserts, which can change or remove any row, or a partition that the list of
 * partitions omits or describes wrongly, so that no page reads it.
 */
export async function findDisguised(db: Db): Promise<readonly string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    with logs as (
      select 'core_audit.audit_events'::regclass as id, 'p' as kind
      union all
      select 'core_audit.audit_seals'::regclass, 'r'
      union all
      select inhrelid, 'r' from pg_inherits where inhparent = 'core_audit.audit_events'::regclass
    )
    select c.oid::regclass::text as name
    from logs
    join pg_class c on c.oid = logs.id
    where c.relkind::text <> logs.kind
      or c.relrowsecurity
      or exists (select from pg_rewrite where ev_class = c.oid)
      -- The bit of a trigger for inserts (pg_trigger.h).
      or exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal and tgtype & 4 <> 0)
      or exists (
        select
        from pg_inherits i
        where i.inhrelid = c.oid and not i.inhdetachpending
          and not exists (
            select
            from core_audit.audit_partitions() p
            where p.name = c.relname
              and pg_get_expr(c.relpartbound, c.oid)
                = 'FOR VALUES FROM (' || coalesce(quote_literal(p.first_id::text), 'MINVALUE')
                  || ') TO (' || coalesce(quote_literal(p.end_id::text), 'MAXVALUE') || ')'
          )
      )
    order by name`)
  return rows.map(({ name }) => name)
}
