import type { StatementRunner } from './connection.ts'

/**
 * Removes the time limit for transactions that the role, the database or the server can have, for the session of a command that
 * runs long. It cannot be a start-up parameter, because servers before PostgreSQL 17 do not know it and refuse the connection.
 */
export async function liftTransactionLimit({ statement }: StatementRunner): Promise<void> {
  await statement(`select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`)
}
