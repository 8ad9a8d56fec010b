import type postgres from 'postgres'

/**
 * Drops the indexes of a table, fills the table, and creates the same indexes again. This takes a third of the time of a
 * fill with indexes. The new indexes are also as compact as after a rebuild.
 */
export async function rebuildIndexes(
  sql: postgres.Sql,
  table: string,
  fill: () => Promise<unknown>,
): Promise<void> {
  const statements = await dropIndexes(sql, table)
  await fill()
  for (const statement of statements) await sql.unsafe(statement)
}

/** Drops the indexes and returns the statements that create them again. */
async function dropIndexes(sql: postgres.Sql, table: string): Promise<readonly string[]> {
  const constraints = await sql`
    select conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where conrelid = ${table}::regclass and contype in ('p', 'u')`
  for (const { name } of constraints) await sql`alter table ${sql(table)} drop constraint ${sql(name)}`
  const indexes = await sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = ${table}::regclass`
  for (const { name } of indexes) await sql`drop index ${sql(name)}`
  return [
    ...constraints.map(({ name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
    ...indexes.map(({ definition }) => definition),
  ]
}
