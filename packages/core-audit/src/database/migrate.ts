import { setTimeout as pause } from 'node:timers/promises'
import { applyMigration, type MigrationLimits, runMigration } from './apply-migration.ts'
import type { DatabasePassword } from './client.ts'
import type { Connection } from './connection.ts'
import { endWithClient } from './end-with-client.ts'
import { type MigrationFile, type MigrationPack, readMigrationFiles } from './migration-files.ts'
import {
  compareWithLedger,
  createLedger,
  type MigrationState,
  pendingOf,
  readLedger,
} from './migration-ledger.ts'
import { withoutTimeLimits } from './without-time-limits.ts'

/** The packs that {@link migrate} applies, and how long it waits for locks. */
export interface MigrateOptions {
  readonly databaseUrl: string
  /** Used if the address contains no password. */
  readonly password?: DatabasePassword | undefined
  /** The packs in the order of application. If a package reads tables of another package, list the other package first. */
  readonly packs: readonly MigrationPack[]
  readonly onApplied?: (migration: MigrationState) => void
  /** Called after an attempt to apply a migration that did not get its locks, with the number of the next attempt, from 2. */
  readonly onRetry?: (migration: MigrationState, attempt: number) => void
  /**
   * Maximum time that a statement of a migration waits for a lock; default 1 s. Requests queue behind a waiting migration,
   * so the limit must be much shorter than their own.
   */
  readonly lockTimeoutMs?: number
  /**
   * Maximum attempts to apply a migration that does not get its locks; default 10. Each is rolled back, and the pause after
   * attempt n is n times `lockTimeoutMs`.
   */
  readonly lockAttempts?: number
  /**
   * Maximum time that a migration outside a transaction waits for transactions that are older than itself; default 1 hour.
   * Requests never queue behind this wait.
   */
  readonly indexWaitMs?: number
  /** Maximum wait for another migrator to finish; default 10 minutes. */
  readonly migratorWaitMs?: number
}

/** Well below the 5 s that a request waits for a lock by default. */
const defaultLockTimeoutMs = 1_000
const defaultLockAttempts = 10
/** Longer than most backups and reports; ends the wait for a forgotten transaction. `deploy/ha/haproxy.cfg` waits longer. */
const defaultIndexWaitMs = 3_600_000
const defaultMigratorWaitMs = 600_000
const migratorPollMs = 100
/**
 * Limits all statements except the scripts of migrations and those of a rehearsal, which builds indexes with statements.
 * Deferred constraints can make a commit slow.
 */
const defaultAnswerDeadlineMs = 600_000

/** The options of a migrator, with the limit of its statements. */
interface ConnectionLimits extends MigrateOptions {
  /** `null` means no limit; 10 minutes when absent. */
  readonly answerDeadlineMs?: number | null
}

/** Returns the applied and the pending migrations. Changes nothing and needs no lock. */
export async function migrationStatus(options: MigrateOptions): Promise<readonly MigrationState[]> {
  const files = await readMigrationFiles(options.packs)
  return connected(options, (connection) => compare(connection, options, files))
}

/**
 * Applies the pending migrations and returns them in order. Each file is committed together with its ledger row, except
 * files that declare `-- transaction: none`: if the migrator is killed, the next run completes such a file. If several
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
  return withPendingMigrations(options, async (connection, pending) => {
    // A role that cannot write can also ask whether everything is applied.
    if (pending.length > 0) await connection.begin(createLedger)
    for (const { migration, file } of pending) {
      const onRetry = (attempt: number) => options.onRetry?.(migration, attempt)
      await applyMigration(connection, file, { ...limitsOf(options), onRetry })
      options.onApplied?.(migration)
    }
    return pending.map(({ migration }) => migration)
  })
}

/** A pending migration and its file. */
export interface PendingMigration {
  readonly migration: MigrationState
  readonly file: MigrationFile
}

/**
 * Runs `work` with the pending migrations, in order, on a connection that holds the lock of the migrators. The ledger may not
 * exist yet.
 */
export async function withPendingMigrations<T>(
  options: ConnectionLimits,
  work: (connection: Connection, pending: readonly PendingMigration[]) => Promise<T>,
): Promise<T> {
  const files = await readMigrationFiles(options.packs)
  return connected(options, async (connection) => {
    await takeTurn(connection, options)
    const pending = pendingOf(await compare(connection, options, files))
    return work(
      connection,
      pending.map((migration) => ({ migration, file: fileOf(migration, files) })),
    )
  })
}

/**
 * Runs the pending migrations in one transaction, rolls it back, and returns the migrations that {@link migrate} would
 * apply. Each file sees the effects of earlier files. The migrations take real locks, and indexes block writes while they
 * are built, so use a copy of the database.
 */
export async function rehearseMigrations(options: MigrateOptions): Promise<readonly MigrationState[]> {
  return withPendingMigrations({ ...options, answerDeadlineMs: null }, async (connection, pending) => {
    const rehearsed = new Error('rolled back')
    await endWithClient(connection)
    const rehearsal = connection.begin(async (runner) => {
      await createLedger(runner)
      for (const { migration, file } of pending) {
        await runMigration(runner, file, limitsOf(options))
        options.onApplied?.(migration)
      }
      throw rehearsed
    })
    await rehearsal.catch((error: unknown) => {
      if (error !== rehearsed) throw error
    })
    return pending.map(({ migration }) => migration)
  })
}

/** Runs work on one connection, because the advisory lock belongs to its session. Closing the connection releases the lock. */
function connected<T>(options: ConnectionLimits, work: (connection: Connection) => Promise<T>): Promise<T> {
  // An `answerDeadlineMs` of `null` means no limit, so only `undefined` gets the default.
  const { databaseUrl, password, answerDeadlineMs = defaultAnswerDeadlineMs } = options
  const lockTimeoutMs = options.lockTimeoutMs ?? defaultLockTimeoutMs
  const applicationName = 'vertical-kit-migrate'
  return withoutTimeLimits({ databaseUrl, password, answerDeadlineMs, applicationName, lockTimeoutMs }, work)
}

/**
 * Acquires the advisory lock of the migrators, or throws if another migrator holds the lock for too long. It asks
 * repeatedly instead of waiting in the server: an index build waits for every open statement, so it would wait for this
 * migrator while this migrator waits for it.
 */
async function takeTurn(connection: Connection, options: MigrateOptions): Promise<void> {
  const waitMs = options.migratorWaitMs ?? defaultMigratorWaitMs
  const giveUpAtMs = performance.now() + waitMs
  for (;;) {
    const [turn] = await connection.statement<{ isMine: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('vertical-kit.migrate', 0)) as "isMine"`,
    )
    if (turn?.isMine === true) return
    if (performance.now() >= giveUpAtMs) {
      throw new Error(`Another migrator still runs on this database after a wait of ${waitMs} ms.`)
    }
    await pause(migratorPollMs)
  }
}

const limitsOf = (options: MigrateOptions): Omit<MigrationLimits, 'onRetry'> => ({
  lockTimeoutMs: options.lockTimeoutMs ?? defaultLockTimeoutMs,
  lockAttempts: options.lockAttempts ?? defaultLockAttempts,
  indexWaitMs: options.indexWaitMs ?? defaultIndexWaitMs,
})

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
