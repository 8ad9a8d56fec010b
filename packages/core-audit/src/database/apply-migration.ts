import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, StatementRunner } from './connection.ts'
import { databaseErrorCode } from './database-errors.ts'
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
    await applyIndexChange(connection, migration, migration.indexChange, limits)
    return
  }
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
    if (indexChange === null) await runner.script(sql)
    else await rehearseIndexChange(runner, indexChange)
  } catch (cause) {
    throw new Error(`Migration ${pack}/${file} failed${placeOf(cause, sql)} and was rolled back.`, { cause })
  }
  await record(runner, migration)
}

async function rehearseIndexChange(runner: StatementRunner, change: IndexChange): Promise<void> {
  const found = await findIndex(runner, change)
  if (found === 'invalid') await runner.script(`drop index ${change.index}`)
  if (found !== 'built') await runner.script(change.blockingText)
}

/**
 * Builds or drops an index without blocking reads and writes. An interrupted build leaves an invalid index, which the next
 * run replaces. If an earlier run built the index but did not record it, this run only records it.
 */
async function applyIndexChange(
  connection: Connection,
  migration: MigrationFile,
  change: IndexChange,
  { indexWaitMs, lockTimeoutMs }: MigrationLimits,
): Promise<void> {
  const { pack, file, sql } = migration
  // The build waits for transactions that are older than itself. Nothing queues behind this wait, so it can be long.
  await setLockTimeout(connection, indexWaitMs)
  try {
    const found = await findIndex(connection, change)
    if (found === 'invalid') await connection.script(`drop index concurrently ${change.index}`)
    if (found !== 'built') await connection.script(sql)
  } catch (cause) {
    const remains = await dropInvalidIndex(connection, change, lockTimeoutMs).catch(() => true)
    const rest = remains
      ? `and can have left the invalid index ${change.index}, which the next run removes`
      : 'and left nothing behind'
    throw new Error(`Migration ${pack}/${file} failed${placeOf(cause, sql)} ${rest}.`, { cause })
  }
  await record(connection, migration)
}

/** Drops the index that a failed build left: it would slow writes down, and a unique one would reject them. */
async function dropInvalidIndex(connection: Connection, change: IndexChange, waitMs: number) {
  await setLockTimeout(connection, waitMs)
  const [index] = await indexRows(connection, change.index, change.table)
  if (index?.is_valid === false) await connection.script(`drop index concurrently ${change.index}`)
  return false
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
  await runner.script(probe.text)
  const [expected] = await indexRows(runner, probe.index, probe.table)
  await runner.script(`drop table ${probe.table}`)
  if (expected?.definition === found.definition) return 'built'
  throw new Error(
    `The index ${index} already exists with another definition: drop it in an earlier migration, or rename.`,
  )
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
  const position = Number(error instanceof Error ? Reflect.get(error, 'position') : Number.NaN)
  if (!Number.isInteger(position)) return ''
  return ` at line ${[...sql].slice(0, position - 1).filter((character) => character === '\n').length + 1}`
}
