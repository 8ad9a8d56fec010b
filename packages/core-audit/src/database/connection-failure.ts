import { failureCode, isCertificateFailure } from '../doctor/failure-code.ts'
import { databaseErrorCode, isDriverError, isStatementError, readOnlyTransaction } from './database-errors.ts'
import { PoolerError } from './session-settings.ts'

/** Why there is no usable connection, and what to change. Contains no secret and no data. */
export interface ConnectionFailure {
  readonly message: string
  readonly change: string
}

/** The changes for codes of PostgreSQL (appendix A), Node.js and postgres.js. */
const changes: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or password in DATABASE_URL or DATABASE_PASSWORD_FILE.',
  '28000':
    'Correct the user in DATABASE_URL, or allow it in pg_hba.conf of the server (with TLS, if it requires TLS).',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
  '42501': 'Grant CONNECT on the database to the user of DATABASE_URL.',
  [readOnlyTransaction]:
    'If the server is a standby, name the primary in DATABASE_URL. Otherwise, reset default_transaction_read_only for the role, its database and the server.',
  '53100': 'Free space on the disk of the database.',
  '53300': 'Lower DATABASE_POOL_MAX, or raise max_connections of the server.',
  '08P01': 'If DATABASE_URL leads to a pooler, set DATABASE_POOLER to its mode.',
  ENOTFOUND: 'Correct the host name in DATABASE_URL.',
  ECONNREFUSED: 'Start the server, or correct the host and port in DATABASE_URL.',
  ECONNRESET: 'The server closes the connection: it may have no TLS. Check sslmode in DATABASE_URL.',
  ENOENT: 'Correct the folder of the Unix socket in DATABASE_URL.',
  // The driver ends a connection to a standby, because the pool accepts only the primary.
  CONNECTION_DESTROYED:
    'If the server is a standby, which cannot write, name the primary or all servers in DATABASE_URL.',
  CONNECT_TIMEOUT: 'Open the firewall, or correct the host and port in DATABASE_URL.',
}

/** Describes the error of a connection that could not be used. */
export function describeConnectionFailure(error: unknown): ConnectionFailure {
  const pooler = poolerError(error)
  if (pooler !== undefined) return { message: pooler.fact, change: pooler.change }
  const code = failureCode(error)
  if (isCertificateFailure(code)) {
    return {
      message: `The certificate of the database is not accepted (${code}).`,
      change: 'Correct sslrootcert or the host name in DATABASE_URL: the certificate must name the host.',
    }
  }
  const isReadOnly = code === readOnlyTransaction
  return {
    message: isReadOnly
      ? `The database refuses to write (${code}).`
      : `No connection to the database (${code}).`,
    change: changes[code] ?? 'Check DATABASE_URL and the log of the database.',
  }
}

/** Returns whether an error means that there is no usable connection. One that refuses writes is replaced, so it is not usable. */
export const isConnectionFailure = (error: unknown): boolean =>
  poolerError(error) !== undefined ||
  databaseErrorCode(error) === readOnlyTransaction ||
  (isDriverError(error) && !isStatementError(error))

/** Returns the text of {@link describeConnectionFailure} for a person; `undefined` for other errors. */
export function connectionFailureText(error: unknown): string | undefined {
  if (!isConnectionFailure(error)) return undefined
  const { message, change } = describeConnectionFailure(error)
  // The message of a pooler's error also contains the statements that make the change.
  return poolerError(error)?.message ?? `${message} ${change}`
}

const poolerError = (error: unknown): PoolerError | undefined =>
  error instanceof Error && error.cause instanceof PoolerError ? error.cause : undefined
