import postgres from 'postgres'

/**
 * Fills a migrated database with completed executions of the user `clerk`, spread over the last 80 days, so that none is
 * past its retention: random keys and ids in the order of time, as clients and hosts make them. Their answers are 200
 * bytes where real ones are some 3,000: nobody repeats these keys, and what is measured is to find others among them.
 */
export async function fillExecutions(url: string, executionCount: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`set maintenance_work_mem = '1GB'`
    // Indexes are built over what is there: that takes a third of the time, and leaves them as a rebuild would.
    const indexes = await dropIndexes(sql)
    await sql`
      insert into document_actions.executions (
        id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result, completed_at
      )
      select
        uuidv7(-age), clerk.id, gen_random_uuid()::text, sha256(''), 'trade.sales_invoice',
        clerk.id, 'post', repeat('x', 200), statement_timestamp() - age
      from core_audit.users clerk
      cross join generate_series(1, ${executionCount}::int) g
      cross join lateral (select interval '80 days' * (1 - g / ${executionCount}::float8) as age) at
      where clerk.subject = 'clerk'`
    for (const statement of indexes) await sql.unsafe(statement)
    await sql`vacuum (freeze, analyze) document_actions.executions`
    await sql`checkpoint`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Takes the indexes off and returns the statements that make them again, as the migrations had made them. */
async function dropIndexes(sql: postgres.Sql): Promise<readonly string[]> {
  const table = 'document_actions.executions'
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
