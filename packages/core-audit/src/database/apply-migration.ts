import { setTimeout as pause } from 'node:timers/promises'
import { applyIndexChange, dropInvalidIndex, rehearseIndexChange } from './apply-index-change.ts'
import type { Connection, StatementRunner } from './connection.ts'
import { databaseErrorCode } from './database-errors.ts'
import { endWithClient, outliveClient } from './end-with-client.ts'
import type { IndexChange } from './index-change.ts'
import type { MigrationFile } from './migration-files.ts'

/** The limits of {@link applyMigration}. */
export interface MigrationLimits {
  /** Maximum time that a statement waits for a lock. */
  readonly lockTimeoutMs: number
  /** Maximum attempts to apply a file that runs in a transaction. */
  readonly lockAttempts: number
  /** Maximum time that a file outside a transaction waits for older transactions. */
  readonly indexWaitMs: number
  /** Called after an attempt that did not get its locks, with the number of the next attempt. */
  readonly onRetry: (attempt: number) => void
}

/**
 * Applies a file and records it in the ledger. In a transaction, both are one step, and a lock that is not available in
 * time causes further attempts. Outside a transaction, the record follows the statement; an interrupted file can be applied
 * again.
 *
 * @throws {Error} if the file fails. The message names the file, and the cause is the database's error.
 */
export async function applyMigration(
  connection: Connection,
  migration: MigrationFile,
  limits: MigrationLimits,
): Promise<void> {
  if (migration.indexChange !== null) {
    await applyOutsideTransaction(connection, migration, migration.indexChange, limits)
    return
  }
  // Otherwise a killed migrator would keep its locks until the end of its statement, which the server then rolls back.
  await endWithClient(connection)
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.begin((runner) => runMigration(runner, migration, limits))
      return
    } catch (error) {
      if (attempt >= limits.lockAttempts || !isLockFailure(error)) throw error
      limits.onRetry(attempt + 1)
      // Requests queue behind a waiting migration. Let them continue before the next attempt.
      await pause(limits.lockTimeoutMs * attempt)
    }
  }
}

/**
 * Runs a file and its ledger entry in the caller's transaction. A file that is meant to run outside a transaction runs
 * without `concurrently`.
 */
export async function runMigration(
  runner: StatementRunner,
  migration: MigrationFile,
  { lockTimeoutMs }: Pick<MigrationLimits, 'lockTimeoutMs'>,
): Promise<void> {
  const { pack, file, sql, indexChange } = migration
  await setLockTimeout(runner, lockTimeoutMs)
  try {
    if (indexChange === null) await runner.script(inOneTransaction(migration))
    else await rehearseIndexChange(runner, indexChange)
  } catch (cause) {
    throw new Error(`Migration ${pack}/${file} failed${placeOf(cause, sql)} and was rolled back.`, { cause })
  }
  await record(runner, migration)
}

/**
 * Returns a block that executes a file. In a block, PostgreSQL refuses `commit`, `end` and all other statements that would end the
 * transaction and keep a part of a failing file.
 */
function inOneTransaction({ sql, checksum }: MigrationFile): string {
  // A text cannot contain its own SHA-256.
  const [block, file] = [`$block_${checksum}$`, `$file_${checksum}$`]
  return `do ${block} begin execute ${file}${sql}${file}; end ${block}`
}

/** Applies a file that changes an index. After a failure, tries to remove the invalid index that the build left. */
async function applyOutsideTransaction(
  connection: Connection,
  migration: MigrationFile,
  change: IndexChange,
  { indexWaitMs, lockTimeoutMs }: MigrationLimits,
): Promise<void> {
  const { pack, file, sql } = migration
  // The statement waits for transactions that are older than itself. Nothing queues behind this wait, so it can be long.
  await setLockTimeout(connection, indexWaitMs)
  // After a kill, the server completes the index, and the next migrator records it.
  await outliveClient(connection)
  try {
    await applyIndexChange(connection, change, sql)
  } catch (cause) {
    const isRemoved = await setLockTimeout(connection, lockTimeoutMs)
      .then(() => dropInvalidIndex(connection, change))
      .then(
        () => true,
        () => false,
      )
    const rest = isRemoved
      ? 'and left nothing behind'
      : `and can have left the invalid index ${change.index}, which the next run removes`
    throw new Error(`Migration ${pack}/${file} failed${placeOf(cause, sql)} ${rest}.`, { cause })
  }
  await record(connection, migration)
}

const record = ({ statement }: StatementRunner, { pack, file, checksum, isCompatible }: MigrationFile) =>
  statement(
    'insert into core_audit.migrations (pack, file, checksum, is_compatible) values ($1, $2, $3, $4)',
    [pack, file, checksum, isCompatible],
  )

const setLockTimeout = (runner: StatementRunner, waitMs: number) =>
  runner.statement(`select set_config('lock_timeout', $1, false)`, [String(waitMs)])

/** Returns whether a lock was not available in time, or the server ended a deadlock with the traffic. */
const isLockFailure = (error: unknown): boolean => ['55P03', '40P01'].includes(databaseErrorCode(error) ?? '')

/** Returns ` at line n`, or an empty text if the position of the error is unknown. PostgreSQL counts characters from 1. */
function placeOf(error: unknown, sql: string): string {
  const {
    position,
    internal_query: inner,
    internal_position,
  }: ErrorPlace = error instanceof Error ? error : {}
  // A block reports the text that it executes, or that of a function which this text calls.
  const place = inner === undefined ? position : inner === sql ? internal_position : undefined
  if (place === undefined) return ''
  const before = [...sql].slice(0, Number(place) - 1)
  return ` at line ${before.filter((character) => character === '\n').length + 1}`
}

/** The fields of a driver's error that contain the place. */
interface ErrorPlace extends Partial<Error> {
  readonly position?: string
  readonly internal_query?: string
  readonly internal_position?: string
}
