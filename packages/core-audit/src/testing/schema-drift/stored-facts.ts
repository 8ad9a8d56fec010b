import type postgres from 'postgres'
import { createTableFacts, type SchemaFacts } from './table-facts.ts'

/** What the database says of every table of some PostgreSQL schemas. */
export async function storedFacts(sql: postgres.ISql, schemaNames: readonly string[]): Promise<SchemaFacts> {
  const tables = new Map((await readTables(sql, schemaNames)).map((name) => [name, createTableFacts()]))
  for (const row of await readColumns(sql, schemaNames)) tables.get(row.table)?.column(row.name, row)
  for (const row of await readIndexes(sql, schemaNames)) tables.get(row.table)?.index(row.name, row)
  for (const row of await readConstraints(sql, schemaNames)) {
    const table = tables.get(row.table)
    if (row.kind === 'p') table?.primaryKey(row.columns)
    if (row.kind === 'u') table?.unique(row.name, row.columns)
    if (row.kind === 'f') {
      table?.foreignKey(row.columns, {
        table: row.foreignTable,
        columns: row.foreignColumns,
        onDelete: actions[row.onDelete] ?? row.onDelete,
        onUpdate: actions[row.onUpdate] ?? row.onUpdate,
      })
    }
  }
  return new Map([...tables].map(([name, { facts }]) => [name, facts]))
}

/** pg_constraint.confdeltype and confupdtype in words. */
const actions: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
}

async function readTables(sql: postgres.ISql, schemaNames: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ table: string }[]>`
    select n.nspname || '.' || c.relname as table
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${[...schemaNames]}) and c.relkind in ('r', 'p') and not c.relispartition`
  return rows.map((row) => row.table)
}

type ColumnRow = { table: string; name: string; type: string; isNullable: boolean; hasDefault: boolean }

const readColumns = (sql: postgres.ISql, schemaNames: readonly string[]) => sql<ColumnRow[]>`
  select n.nspname || '.' || c.relname as table, a.attname as name,
    format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as "isNullable",
    a.atthasdef or a.attidentity <> '' as "hasDefault"
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any(${[...schemaNames]}) and a.attnum > 0 and not a.attisdropped`

type IndexRow = {
  table: string
  name: string
  isUnique: boolean
  method: string
  columns: string[]
  isPartial: boolean
}

/** Without those that only serve a constraint. Of `indoption`, bit 1 says descending. */
const readIndexes = (sql: postgres.ISql, schemaNames: readonly string[]) => sql<IndexRow[]>`
  select n.nspname || '.' || t.relname as table, c.relname as name,
    i.indisunique as "isUnique", m.amname as method, i.indpred is not null as "isPartial",
    array(
      select coalesce(a.attname, 'an expression')
        || case when i.indoption[k.position - 1] & 1 = 1 then ' desc' else '' end
      from generate_series(1, i.indnkeyatts) as k(position)
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k.position - 1]
        and a.attnum > 0
      order by k.position
    ) as columns
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  join pg_namespace n on n.oid = t.relnamespace
  join pg_am m on m.oid = c.relam
  where n.nspname = any(${[...schemaNames]})
    and not exists (
      select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x')
    )`

type ConstraintRow = {
  table: string
  name: string
  kind: string
  columns: string[]
  foreignTable: string
  foreignColumns: string[]
  onDelete: string
  onUpdate: string
}

const readConstraints = (sql: postgres.ISql, schemaNames: readonly string[]) => sql<ConstraintRow[]>`
  select n.nspname || '.' || t.relname as table, c.conname as name, c.contype as kind,
    array(
      select a.attname
      from unnest(c.conkey) with ordinality as k(number, position)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
      order by k.position
    ) as columns,
    coalesce(fn.nspname || '.' || f.relname, '') as "foreignTable",
    array(
      select a.attname
      from unnest(c.confkey) with ordinality as k(number, position)
      join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.number
      order by k.position
    ) as "foreignColumns",
    c.confdeltype as "onDelete", c.confupdtype as "onUpdate"
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid
  join pg_namespace n on n.oid = t.relnamespace
  left join pg_class f on f.oid = c.confrelid
  left join pg_namespace fn on fn.oid = f.relnamespace
  where n.nspname = any(${[...schemaNames]}) and c.contype in ('p', 'u', 'f')`
