import { runMigration } from '../../database/apply-migration.ts'
import type { StatementRunner } from '../../database/connection.ts'
import type { MigrationFile } from '../../database/migration-files.ts'
import type { Check } from './check-migrations.ts'

/** A migration that processes fewer rows ends within milliseconds. */
const manyRows = 10_000

/**
 * Applies a file that runs in a transaction, and sends traffic before its commit. If the file touches a table that is not
 * filled yet, it is rolled back, and runs again on the filled table.
 */
export async function checkTransaction(check: Check, file: MigrationFile): Promise<readonly string[]> {
  const { connection, traffic, isFilled, fill } = check
  const tables = await traffic.tables()
  for (;;) {
    const unfilled: string[] = []
    const rolledBack = new Error('rolled back')
    const run = connection.begin(async (runner) => {
      const before = await processedRows(runner)
      await runMigration(runner, file, { lockTimeoutMs: 0 })
      unfilled.push(...(await touchedTables(runner, tables)).filter((table) => !isFilled(table)))
      if (unfilled.length > 0) throw rolledBack
      const after = await processedRows(runner)
      return [
        ...blockingProblems(await traffic.send(tables), countOf(after) - countOf(before)),
        ...changeProblems(before, after, tables),
      ]
    })
    try {
      return await run
    } catch (error) {
      if (error !== rolledBack) throw error
      for (const table of unfilled) await fill(table)
    }
  }
}

/** Returns the existing tables that the transaction has locked, except for reading. */
async function touchedTables(runner: StatementRunner, tables: readonly string[]): Promise<readonly string[]> {
  const rows = await runner.statement<{ name: string }>(
    `select distinct format('%I.%I', nspname, relname) as name
    from pg_locks
    join pg_class on pg_class.oid = relation
    join pg_namespace on pg_namespace.oid = relnamespace
    where pid = pg_backend_pid() and locktype = 'relation' and mode not in ('AccessShareLock', 'RowShareLock')`,
  )
  return rows.map(({ name }) => name).filter((name) => tables.includes(name))
}

interface ProcessedRows {
  readonly name: string
  readonly read: number
  readonly inserted: number
  readonly changed: number
}

/** Returns how many rows of each table this session has processed. Scans for indexes, constraints and rewrites count. */
const processedRows = (runner: StatementRunner) =>
  runner.statement<ProcessedRows>(
    `select format('%I.%I', schemaname, relname) as name,
      (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read,
      n_tup_ins::int as inserted,
      (n_tup_upd + n_tup_del)::int as changed
    from pg_stat_xact_user_tables`,
  )

const countOf = (rows: readonly ProcessedRows[]): number =>
  rows.reduce((count, { read, inserted, changed }) => count + read + inserted + changed, 0)

type Blocked = Awaited<ReturnType<Check['traffic']['send']>>

function blockingProblems(blocked: Blocked, rowCount: number): readonly string[] {
  if (rowCount < manyRows) return []
  return blocked.map(({ table, by }) => `blocks ${by} of ${table} while it processes ${rowCount} rows`)
}

/** Changed rows stay locked until the commit, although the lock of their table allows other writers. */
function changeProblems(
  before: readonly ProcessedRows[],
  after: readonly ProcessedRows[],
  tables: readonly string[],
): readonly string[] {
  return after.flatMap(({ name, changed }) => {
    const earlier = before.find((row) => row.name === name)?.changed ?? 0
    if (changed - earlier < manyRows || !tables.includes(name)) return []
    return [`blocks writers of ${changed - earlier} rows of ${name}, which it changes in one transaction`]
  })
}
