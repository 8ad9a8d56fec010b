import type { StatementRunner } from './connection.ts'
import type { MigrationFile } from './migration-files.ts'

/** One migration file and what the ledger knows of it. */
export interface MigrationState {
  readonly pack: string
  readonly file: string
  readonly checksum: string
  readonly state: 'applied' | 'pending'
  readonly appliedAtUtc: string | null
}

/** What the ledger remembers of a migration that was applied. */
export interface LedgerRow {
  readonly pack: string
  readonly file: string
  readonly checksum: string
  readonly applied_at: Date
}

/** Makes the table that remembers what was applied, where it is not there yet. */
export async function createLedger(runner: StatementRunner): Promise<void> {
  await runner.script(`
    create schema if not exists core_audit;
    create table if not exists core_audit.migrations (
      pack text not null,
      file text not null,
      checksum text not null,
      applied_at timestamptz not null default now(),
      primary key (pack, file)
    )`)
}

/** Everything that was ever applied; nothing, where there is no ledger yet. */
export async function readLedger(runner: StatementRunner): Promise<readonly LedgerRow[]> {
  const [found] = await runner.statement<{ exists: boolean }>(
    `select to_regclass('core_audit.migrations') is not null as exists`,
  )
  if (found?.exists !== true) return []
  return runner.statement('select pack, file, checksum, applied_at from core_audit.migrations')
}

/**
 * Tells which files are applied and which are pending.
 *
 * @throws {Error} when an applied file has changed or is missing, or when one was applied before an earlier one of
 *   its package: histories that interleaved want a person
 */
export function compareWithLedger(
  files: readonly MigrationFile[],
  packNames: readonly string[],
  rows: readonly LedgerRow[],
): readonly MigrationState[] {
  refuseMissing(files, packNames, rows)
  const applied = new Map(rows.map((row) => [`${row.pack}/${row.file}`, row]))
  const behind = new Set<string>()
  return files.map(({ pack, file, checksum }) => {
    const row = applied.get(`${pack}/${file}`)
    if (row === undefined) {
      behind.add(pack)
      return { pack, file, checksum, state: 'pending', appliedAtUtc: null }
    }
    if (row.checksum !== checksum) throw new Error(`Migration ${pack}/${file} changed after it was applied.`)
    if (behind.has(pack))
      throw new Error(`Migration ${pack}/${file} was applied before an earlier one of its package.`)
    return { pack, file, checksum, state: 'applied', appliedAtUtc: row.applied_at.toISOString() }
  })
}

/** A package that is not listed at all may have been taken out of the host; its tables stay. */
function refuseMissing(
  files: readonly MigrationFile[],
  packNames: readonly string[],
  rows: readonly LedgerRow[],
): void {
  const known = new Set(files.map((file) => `${file.pack}/${file.file}`))
  const missing = rows.find((row) => packNames.includes(row.pack) && !known.has(`${row.pack}/${row.file}`))
  if (missing === undefined) return
  throw new Error(
    `Migration ${missing.pack}/${missing.file} was applied to this database but is not in this release: ` +
      'is the release older?',
  )
}
