import type { StatementRunner } from './connection.ts'
import type { MigrationFile } from './migration-files.ts'

/** One migration file and its state in the ledger. */
export interface MigrationState {
  readonly pack: string
  readonly file: string
  readonly checksum: string
  readonly state: 'applied' | 'pending'
  readonly appliedAtUtc: string | null
}

/** The ledger's row for one applied migration. */
export interface LedgerRow {
  readonly pack: string
  readonly file: string
  readonly checksum: string
  readonly applied_at: string
  readonly is_compatible: boolean
}

/**
 * Thrown if the schema does not match the release: migrations are pending, or the ledger contains a different history. The
 * message names the migrations and contains no data.
 */
export class MigrationsError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MigrationsError'
  }
}

/** Creates the ledger's table, or adds the columns that a ledger of an earlier release lacks. */
export async function createLedger(runner: StatementRunner): Promise<void> {
  // Check for the column first, because `add column if not exists` takes an exclusive lock even if the column exists.
  await runner.script(`
    create schema if not exists core_audit;
    create table if not exists core_audit.migrations (
      pack text not null,
      file text not null,
      checksum text not null,
      applied_at timestamptz not null default now(),
      is_compatible boolean not null default false,
      primary key (pack, file)
    );
    do $$
    begin
      if not exists (
        select from pg_attribute
        where attrelid = 'core_audit.migrations'::regclass and attname = 'is_compatible' and not attisdropped
      ) then
        alter table core_audit.migrations add column is_compatible boolean not null default false;
      end if;
    end
    $$`)
}

/** Runs one statement without parameters. */
type RunStatement = <Row extends Record<string, unknown>>(text: string) => Promise<readonly Row[]>

/** Returns the row of each applied migration, or no rows if the ledger does not exist yet. */
export async function readLedger(run: RunStatement): Promise<readonly LedgerRow[]> {
  const [found] = await run<{ exists: boolean }>(
    `select to_regclass('core_audit.migrations') is not null as exists`,
  )
  if (found?.exists !== true) return []
  // Read `is_compatible` through JSON, because a ledger of an earlier release does not have this column.
  return run<LedgerRow & Record<string, unknown>>(`
    select pack, file, checksum,
      to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as applied_at,
      coalesce((to_jsonb(m) ->> 'is_compatible')::boolean, false) as is_compatible
    from core_audit.migrations m`)
}

/**
 * Returns the state of each file: applied or pending.
 *
 * @throws {MigrationsError} if an applied file has changed, if an applied file is missing (unless the file is newer than
 *   this release and compatible), or if a file was applied before an earlier file of its package. Resolve these cases by
 *   hand.
 */
export function compareWithLedger(
  files: readonly MigrationFile[],
  packNames: readonly string[],
  rows: readonly LedgerRow[],
): readonly MigrationState[] {
  const newer = newerThanRelease(files, packNames, rows)
  const applied = new Map(rows.map((row) => [nameOf(row), row]))
  const behind = new Set<string>()
  const states = files.map(({ pack, file, checksum }): MigrationState => {
    const row = applied.get(nameOf({ pack, file }))
    if (row === undefined) {
      behind.add(pack)
      return { pack, file, checksum, state: 'pending', appliedAtUtc: null }
    }
    if (row.checksum !== checksum)
      throw new MigrationsError(`Migration ${pack}/${file} changed after it was applied.`)
    refuseBehind(row, behind)
    return { pack, file, checksum, state: 'applied', appliedAtUtc: row.applied_at }
  })
  for (const row of newer) refuseBehind(row, behind)
  return states
}

/** Returns the pending migrations, in order. */
export const pendingOf = (migrations: readonly MigrationState[]): readonly MigrationState[] =>
  migrations.filter(({ state }) => state === 'pending')

const nameOf = ({ pack, file }: Pick<LedgerRow, 'pack' | 'file'>): string => `${pack}/${file}`

function refuseBehind(row: LedgerRow, behind: ReadonlySet<string>): void {
  if (!behind.has(row.pack)) return
  throw new MigrationsError(`Migration ${nameOf(row)} was applied before an earlier one of its package.`)
}

/**
 * Returns the applied migrations of newer releases if all of them are compatible with this release; throws otherwise.
 * Ignores packages outside `packNames`: if a host no longer uses a package, the package's tables remain.
 */
function newerThanRelease(
  files: readonly MigrationFile[],
  packNames: readonly string[],
  rows: readonly LedgerRow[],
): readonly LedgerRow[] {
  const known = new Set(files.map(nameOf))
  // File numbers have no gaps, so this release has the numbers from 1 to the file count. A missing file with such a number
  // was renamed.
  const isNewer = (row: LedgerRow) =>
    Number(row.file.slice(0, 4)) > files.filter(({ pack }) => pack === row.pack).length
  const missing = rows.filter((row) => packNames.includes(row.pack) && !known.has(nameOf(row)))
  const refused = missing.filter((row) => !row.is_compatible || !isNewer(row))
  if (refused.length === 0) return missing
  const lines = refused
    .map((row) => `Migration ${nameOf(row)} was applied to this database but is not in this release.`)
    .toSorted()
  throw new MigrationsError(
    [
      ...lines,
      'Use a release that contains it: an older one continues only if the migration is declared compatible.',
    ].join('\n'),
  )
}
