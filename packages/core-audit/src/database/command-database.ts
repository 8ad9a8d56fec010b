import { type DirectAddress, databaseDefaults } from './config.ts'
import { createDatabase, type Database } from './database.ts'

/**
 * A statement of `outbox unregister` discards millions of deliveries. One of `audit verify` computes at most 200 seals again,
 * and a host has computed each of them within 15 seconds.
 */
const statementTimeoutMs = 3_600_000

/** The connections of a command. */
export interface CommandDatabaseOptions {
  /** The name of the connections in `pg_stat_activity`. */
  readonly applicationName: string
  /** The number of connections. The default is 1. */
  readonly poolMax?: number
}

/** Opens the database for a command of an operator, without a pooler. A statement may take an hour. Close it at the end. */
export const createCommandDatabase = (
  { databaseUrl: url, password }: DirectAddress,
  { applicationName, poolMax = 1 }: CommandDatabaseOptions,
): Database =>
  createDatabase({ ...databaseDefaults, url, password, statementTimeoutMs, poolMax, applicationName })
