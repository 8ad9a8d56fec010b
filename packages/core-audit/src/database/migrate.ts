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
  /** The packs in the order of application. If a package reads tables of another package, list the other package first. */
  readonly packs: readonly MigrationPack[]
  readonly onApplied?: (migration: MigrationState) => void
  /**
   * Maximum time that a statement of a migration waits for a lock; default 10 s. Requests queue behind a waiting migration.
   * With a short limit, the migration fails soon and the operator can choose a quieter time.
   */
  readonly lockTimeoutMs?: number
  /** Maximum wait for another migrator to finish; default 10 minutes. */
  readonly migratorWaitMs?: number
}

const defaultLockTimeoutMs = 10_000
const defaultMigratorWaitMs = 600_000
/** Additional time for the server's answer after the longest wait for another migrator. */
const answerMarginMs = 5_000

/** Returns the applied and the pending migrations. Changes nothing and needs no lock. */
export async function migrationStatus(options: MigrateOptions): Promise<readonly MigrationState[]> {
  const files = await readMigrationFiles(options.packs)
  return connected(options, (connection) => compare(connection, options, files))
}

/**
 * Applies the pending migrations and returns them in order. Each file is committed together with its ledger row. If several
 * hosts start at the same time, an advisory lock ensures that one host applies the files while the other hosts wait.
 *
 * Accepts applied migrations of a newer release if they are declared compatible.
 *
 * @throws {Error} before any file is applied, if an applied file has changed, if an applied file is missing and not
 *   declared compatible, or if a pending file has a lower number than an applied file of its package. Resolve these cases
 *   by hand.
 * @throws {Error} if a file fails. The message names the file, the cause is the database's error, and earlier files stay
 *   applied.
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
 * Runs the pending migrations in one transaction, rolls it back, and returns the migrations that {@link migrate} would
 * apply. Each file sees the effects of earlier files. The migrations take real locks, so use a copy of the database.
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
  // Use one connection, because the advisory lock belongs to its session. Closing the connection releases the lock.
  const connection = openConnection(options.databaseUrl, {
    // Use at least the default, even for a shorter wait, because deferred constraints can make a commit slow.
    answerDeadlineMs: Math.max(options.migratorWaitMs ?? 0, defaultMigratorWaitMs) + answerMarginMs,
    connect_timeout: 10,
    connection: {
      application_name: 'vertical-kit-migrate',
      TimeZone: 'UTC',
      // The service has the same search path. Migrations must name the schema of every table.
      search_path: 'pg_catalog, pg_temp',
      // The role or the database can have time limits for requests. These limits must not interrupt a migration.
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

/** Acquires the advisory lock of the migrators, or throws if another migrator holds the lock for too long. */
async function takeTurn(connection: Connection, options: MigrateOptions): Promise<void> {
  const waitMs = options.migratorWaitMs ?? defaultMigratorWaitMs
  await connection.statement(`select set_config('lock_timeout', $1, false)`, [String(waitMs)])
  try {
    await connection.statement(`select pg_advisory_lock(hashtextextended('vertical-kit.migrate', 0))`)
  } catch (cause) {
    if (databaseErrorCode(cause) !== '55P03') throw cause
    throw new Error(`Another migrator still runs on this database after a wait of ${waitMs} ms.`, { cause })
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
    throw new Error(`Migration ${pack}/${file} failed${placeOf(cause, sql)} and was rolled back.`, {
      cause,
    })
  }
  await runner.statement(
    'insert into core_audit.migrations (pack, file, checksum, is_compatible) values ($1, $2, $3, $4)',
    [pack, file, checksum, isCompatible],
  )
}

/** Returns ` at line n`, or an empty text if the position of the error is unknown. PostgreSQL counts characters from 1. */
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
