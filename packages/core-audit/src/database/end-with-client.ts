import type { StatementRunner } from './connection.ts'
import { databaseErrorCode } from './database-errors.ts'

/** How often the server checks that the process which waits for a statement still exists. */
const checkMs = 2_000

/**
 * Lets the server end the following statements of a session soon after their process has died, and release its locks. By default, it
 * notices the death at the end of the statement. Some systems of the server cannot do this.
 */
export const endWithClient = (runner: StatementRunner): Promise<void> => setCheck(runner, checkMs)

/** Lets the server complete the following statements of a session after the death of their process. */
export const outliveClient = (runner: StatementRunner): Promise<void> => setCheck(runner, 0)

async function setCheck({ statement }: StatementRunner, intervalMs: number): Promise<void> {
  await statement(`select set_config('client_connection_check_interval', $1, false)`, [
    String(intervalMs),
  ]).catch((error: unknown) => {
    if (databaseErrorCode(error) !== unsupportedValue) throw error
  })
}

/** The SQLSTATE of a setting that the server cannot have (`invalid_parameter_value`). */
const unsupportedValue = '22023'
