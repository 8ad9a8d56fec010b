import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import { textSettings } from './session-settings.ts'

/** The connection of a command that runs long. */
export interface LongConnection extends Pick<ConnectionOptions, 'answerDeadlineMs' | 'password' | 'types'> {
  readonly databaseUrl: string
  readonly applicationName: string
  readonly lockTimeoutMs: number
}

/**
 * Runs work on a connection of its own. The time limits for requests that the role, the database or the server can have do not
 * interrupt it; only waits for locks are limited. Closes the connection afterwards.
 */
export async function withoutTimeLimits<T>(
  { databaseUrl, applicationName, lockTimeoutMs, ...options }: LongConnection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = openConnection(databaseUrl, {
    ...options,
    connect_timeout: 10,
    connection: {
      application_name: applicationName,
      ...textSettings,
      // The service has the same search path. Statements must name the schema of every table.
      search_path: 'pg_catalog, pg_temp',
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      idle_session_timeout: 0,
      lock_timeout: lockTimeoutMs,
    },
  })
  try {
    // It cannot be a start-up parameter, because servers before PostgreSQL 17 do not know it and refuse the connection.
    await connection.statement(
      `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`,
    )
    return await work(connection)
  } finally {
    await connection.end(connection.isLost ? 0 : 5)
  }
}
