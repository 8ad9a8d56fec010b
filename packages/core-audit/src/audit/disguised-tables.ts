import { getTableConfig } from 'drizzle-orm/pg-core'
import type { Tx } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { auditEvents } from './schema.ts'
import { auditSeals } from './seal/schema.ts'

/** A table of the audit log that can show other rows to readers than to a command, or drop new ones. */
export interface DisguisedTable {
  readonly name: string
  /** Predicates, such as `has row security, has a rule`. */
  readonly reasons: string
}

/** The checks of the migrations, as PostgreSQL writes them. */
const migratedChecks = [
  `((module <> ''::text) AND (target_kind <> ''::text) AND (target_type_code <> ''::text) AND (action_code <> ''::text))`,
  `(jsonb_typeof(changes) = 'array'::text)`,
  `(jsonb_typeof(metadata) = 'object'::text)`,
  '(sequence > 0)',
  '((first_event_id <= last_event_id) AND (event_count > 0) AND (octet_length(event_marks) = (12 * event_count)))',
  '((octet_length(events_hash) = 32) AND (octet_length(hash) = 32))',
]

/**
 * Returns the disguised tables of the audit log. The owner of the tables can do all of this:
 *
 * - A trigger that runs for inserts can change or remove any row.
 * - No page reads a partition that the list of partitions omits or describes wrongly.
 * - Rows of inheritance children appear in their parent. Without the primary key, two seals can have the same number.
 * - A cast from a type of its own to JSON can return the sealed content, while readers see the value.
 * - PostgreSQL 18 computes a generated column for each reader, and its value can depend on a setting of their role.
 * - PostgreSQL trusts the expressions in indexes and checks: it omits rows for which they had another value. So they can hide
 *   rows if their value changes afterwards. This needs no function of the owner: settings of a session change some values, too.
 */
export async function findDisguised(tx: Tx): Promise<readonly DisguisedTable[]> {
  // A role or a database can have `on`: PostgreSQL would then quote every name in checks and types.
  await tx.execute(sql`set local quote_all_identifiers = off`)
  const columns = [...getTableConfig(auditEvents).columns, ...getTableConfig(auditSeals).columns]
  return tx.execute<DisguisedTable & Record<string, unknown>>(sql`
    with logs as (
      select 'core_audit.audit_events'::regclass as id, 'p' as kind, 'id' as key
      union all
      select 'core_audit.audit_seals'::regclass, 'r', 'sequence'
      union all
      select inhrelid, 'r', 'id' from pg_inherits where inhparent = 'core_audit.audit_events'::regclass
    )
    select c.oid::regclass::text as name, string_agg(reason, ', ' order by place) as reasons
    from logs
    join pg_class c on c.oid = logs.id
    cross join lateral (
      select string_agg(indexrelid::regclass::text, ', ' order by indexrelid) as indexes
      from pg_index
      where indrelid = c.oid and (indexprs is not null or indpred is not null)
    ) i
    cross join lateral (
      select string_agg(quote_ident(conname), ', ' order by conname) as checks
      from pg_constraint
      cross join pg_get_expr(conbin, conrelid) as condition
      where conrelid = c.oid
        and condition <> all (${sql.param(migratedChecks)}::text[])
        -- A detachment adds the bounds as a check, which stays if the partition is attached again.
        and condition is distinct from pg_get_partition_constraintdef(c.oid)
    ) k
    cross join lateral (
      values
        (1, 'is another kind of table', c.relkind::text <> logs.kind),
        (2, 'has row security', c.relrowsecurity),
        (3, 'has a rule', exists (select from pg_rewrite where ev_class = c.oid)),
        (
          4,
          'has a trigger for inserts',
          -- The bit of a trigger for inserts (pg_trigger.h).
          exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal and tgtype & 4 <> 0)
        ),
        (
          5,
          'has inheritance children',
          logs.kind = 'r' and exists (select from pg_inherits where inhparent = c.oid)
        ),
        (
          6,
          'has no valid primary key',
          not exists (
            select
            from pg_index x
            join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
            where x.indrelid = c.oid and x.indisprimary and x.indisvalid and x.indnkeyatts = 1
              and a.attname = logs.key
          )
        ),
        (
          7,
          'has a column of another type or a generated one',
          exists (
            select
            from pg_attribute a
            join unnest(
              ${sql.param(columns.map(({ name }) => name))}::text[],
              ${sql.param(columns.map((column) => column.getSQLType()))}::text[]
            ) as declared (name, type) on declared.name = a.attname
            where a.attrelid = c.oid and (format_type(a.atttypid, null) <> declared.type or a.attgenerated <> '')
          )
        ),
        (
          8,
          'has an index with an expression or a condition (drop, or create on columns only: ' || indexes || ')',
          indexes is not null
        ),
        (9, 'has a check of its own (drop: ' || checks || ')', checks is not null),
        (
          10,
          'is missing in the list of partitions, or has other bounds there',
          exists (
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
        )
    ) as found (place, reason, is_true)
    where is_true
    group by c.oid
    order by name`)
}
