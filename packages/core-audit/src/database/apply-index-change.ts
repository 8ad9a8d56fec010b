import type { Connection, StatementRunner } from './connection.ts'
import type { IndexChange } from './index-change.ts'

/**
 * Builds or drops an index without blocking readers and writers. Can be repeated after an interruption at any moment:
 * replaces the invalid index of an interrupted build, and does nothing if an earlier run has built the index.
 *
 * @throws {Error} if a finished index of this name has another definition
 */
export async function applyIndexChange(
  connection: Connection,
  change: IndexChange,
  sql: string,
): Promise<void> {
  const found = await findIndex(connection, change)
  if (found === 'invalid') await connection.script(`drop index concurrently ${change.index}`)
  if (found !== 'built') await connection.script(sql)
}

/**
 * Makes the same change in a transaction, which blocks writers of the table. A script could contain further statements,
 * which the reader of the file has missed; the server accepts only one here.
 */
export async function rehearseIndexChange(runner: StatementRunner, change: IndexChange): Promise<void> {
  const found = await findIndex(runner, change)
  if (found === 'invalid') await runner.script(`drop index ${change.index}`)
  if (found !== 'built') await runner.statement(change.blockingText)
}

/**
 * Drops the index if it is invalid. An invalid index slows writers down, and a unique one can reject their rows.
 */
export async function dropInvalidIndex(connection: Connection, { index, table }: IndexChange): Promise<void> {
  const [found] = await indexRows(connection, index, table)
  if (found?.is_valid === false) await connection.script(`drop index concurrently ${index}`)
}

interface IndexRow {
  readonly is_valid: boolean
  readonly definition: string
}

/** Returns the index of this name on this table, or on any table if `table` is null. */
const indexRows = (runner: StatementRunner, index: string, table: string | null) =>
  runner.statement<IndexRow>(
    `select indisvalid as is_valid,
      indisunique || substring(definition from position(' USING ' in definition)) as definition
    from pg_index
    cross join pg_get_indexdef(indexrelid) definition
    where indexrelid = to_regclass($1) and indrelid = coalesce(to_regclass($2), indrelid)`,
    [index, table],
  )

/**
 * Returns whether the index of the statement exists, and whether its build finished.
 *
 * @throws {Error} if a finished index of this name has another definition: this file cannot have built it
 */
async function findIndex(
  runner: StatementRunner,
  change: IndexChange,
): Promise<'absent' | 'invalid' | 'built'> {
  const { probe, index, table } = change
  if (probe === null) return 'absent'
  const [found] = await indexRows(runner, index, table)
  if (found === undefined) return 'absent'
  if (!found.is_valid) return 'invalid'
  await runner.script(`create temp table ${probe.table} (like ${table})`)
  await runner.statement(probe.text)
  const [expected] = await indexRows(runner, probe.index, probe.table)
  await runner.script(`drop table ${probe.table}`)
  if (expected?.definition === found.definition) return 'built'
  throw new Error(
    `The index ${index} already exists with another definition: drop it in an earlier migration, or rename.`,
  )
}
