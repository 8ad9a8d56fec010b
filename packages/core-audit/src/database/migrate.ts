import { type Connection, openConnection, type StatementRunner } from './connection.ts'
import { databaseErrorCode } from './database-errors.ts'
import { type MigrationFile, type MigrationPack, readMigrationFiles } from './migration-files.ts'
import {
  compareWithLedger,
  createLedger,
  type MigrationState,
  pendingOf,
  readLedger,
} from './migration-ledger.ts'

export interface MigrateOptions {
  readonly databaseUrl: string
  /** Applied in this order: a package after those whose schema it reads. */
  readonly packs: readonly MigrationPack[]
  readonly onApplied?: (migration: MigrationState) => void
  /**
   * How long a statement of a migration waits for a lock; 10 s when absent. Traffic waits behind a migration that
   * waits, so it gives up soon and lets the operator choose the moment.
   */
  readonly lockTimeoutMs?: number
  /** How long to wait for another migrator to end; 10 minutes when absent. */
  readonly migratorWaitMs?: number
}

const defaultLockTimeoutMs = 10_000
const defaultMigratorWaitMs = 600_000
/** What the server gets to answer in, beyond the longest wait for another migrator. */
const answerMarginMs = 5_000

/** What is applied and what is pending; changes nothing, needs no lock. */
export async function migrationStatus(options: MigrateOptions): Promise<readonly MigrationState[]> {
  const files = await readMigrationFiles(options.packs)
  return connected(options, (connection) => compare(connection, options, files))
}

/**
 * Applies what is pending, each file in a transaction of its own together with its ledger row. An advisory lock lets
 * one of several starting hosts do it while the others wait. Returns what was applied, in order.
 *
 * An older release continues on migrations of a newer one that are declared compatible.
 *
 * @throws {Error} before any file is applied, when an applied file has changed; when one is missing and was not declared
 *   compatible; when a pending file's number is below an applied one: diverged histories must be resolved by hand
 * @throws {Error} naming the file that failed, with the database's error as its cause; files before it stay applied
 */
export async function migrate(options: MigrateOptions): Promise<readonly MigrationState[]> {
  const files = await readMigrationFiles(options.packs)
  return connected(options, async (connection) => {
    await takeTurn(connection, options)
    await connection.begin(createLedger)
    const pending = pendingOf(await compare(connection, options, files))
    for (const migration of pending) {
      await connection.begin((runner) => apply(runner, fileOf(migration, files), options))
      options.onApplied?.(migration)
    }
    return pending
  })
}

/**
 * Runs what is pending as {@link migrate} would, in one transaction that is rolled back: a later file sees what an
 * earlier one made. The locks are real until the end, so run it against a copy. Returns what would have been applied.
 */
export async function rehearseMigrations(options: MigrateOptions): Promise<readonly MigrationState[]> {
  const files = await readMigrationFiles(options.packs)
  return connected(options, async (connection) => {
    await takeTurn(connection, options)
    const pending = pendingOf(await compare(connection, options, files))
    const rehearsed = new Error('rolled back')
    const rehearsal = connection.begin(async (runner) => {
      await createLedger(runner)
      for (const migration of pending) {
        await apply(runner, fileOf(migration, files), options)
        options.onApplied?.(migration)
      }
      throw rehearsed
    })
    await rehearsal.catch((error: unknown) => {
      if (error !== rehearsed) throw error
    })
    return pending
  })
}

async function connected<T>(
  options: MigrateOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  // One connection: the advisory lock belongs to it, and ending it gives the lock back.
  const connection = openConnection(options.databaseUrl, {
    // Never less than the default, whatever the wait: a commit may have deferred constraints to check.
    answerDeadlineMs: Math.max(options.migratorWaitMs ?? 0, defaultMigratorWaitMs) + answerMarginMs,
    connect_timeout: 10,
    connection: {
      application_name: 'vertical-kit-migrate',
      TimeZone: 'UTC',
      // As in the service: a name that is not qualified by its schema is found nowhere, and made nowhere.
      search_path: 'pg_catalog, pg_temp',
      // A limit meant for requests, set on the role or the database, must not end a migration half-way.
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  })
  try {
    return await work(connection)
  } finally {
    await connection.end(connection.isLost ? 0 : 5)
  }
}

/** Waits for the advisory lock that one migrator at a time holds. */
async function takeTurn(connection: Connection, options: MigrateOptions): Promise<void> {
  const waitMs = options.migratorWaitMs ?? defaultMigratorWaitMs
  await connection.statement(`select set_config('lock_timeout', $1, false)`, [String(waitMs)])
  try {
    await connection.statement(`select pg_advisory_lock(hashtextextended('vertical-kit.migrate', 0))`)
  } catch (cause) {
    if (databaseErrorCode(cause) !== '55P03') throw cause
    throw new Error(`Another migrator has been at work on this database for ${waitMs} ms.`, { cause })
  }
}

async function apply(
  runner: StatementRunner,
  migration: MigrationFile,
  options: MigrateOptions,
): Promise<void> {
  const { pack, file, checksum, isCompatible, sql } = migration
  const lockTimeoutMs = String(options.lockTimeoutMs ?? defaultLockTimeoutMs)
  await runner.statement(`select set_config('lock_timeout', $1, true)`, [lockTimeoutMs])
  try {
    await runner.script(sql)
  } catch (cause) {
    throw new Error(`Migration ${pack}/${file} failed${placeOf(cause, sql)}; nothing of it was kept.`, {
      cause,
    })
  }
  await runner.statement(
    'insert into core_audit.migrations (pack, file, checksum, is_compatible) values ($1, $2, $3, $4)',
    [pack, file, checksum, isCompatible],
  )
}

/** PostgreSQL counts characters from 1; a person counts lines. */
function placeOf(error: unknown, sql: string): string {
  const position = Number(error instanceof Error ? Reflect.get(error, 'position') : Number.NaN)
  if (!Number.isInteger(position)) return ''
  return ` at line ${[...sql].slice(0, position - 1).filter((character) => character === '\n').length + 1}`
}

const compare = async (connection: Connection, options: MigrateOptions, files: readonly MigrationFile[]) =>
  compareWithLedger(
    files,
    options.packs.map((pack) => pack.name),
    await readLedger((text) => connection.statement(text)),
  )

function fileOf(migration: MigrationState, files: readonly MigrationFile[]): MigrationFile {
  const file = files.find(
    (candidate) => candidate.pack === migration.pack && candidate.file === migration.file,
  )
  if (file === undefined) throw new Error(`${migration.pack}/${migration.file} is not among the files`)
  return file
}
