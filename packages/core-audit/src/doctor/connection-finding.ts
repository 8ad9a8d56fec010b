import { sql } from 'drizzle-orm/sql'
import type { Database } from '../database/database.ts'
import { PoolerError } from '../database/session-settings.ts'
import { type Finding, failed, ok } from './check.ts'
import { failureCode, isCertificateFailure } from './failure-code.ts'

/** The changes for codes of PostgreSQL (appendix A), Node.js and postgres.js. */
const changes: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or password in DATABASE_URL or DATABASE_PASSWORD_FILE.',
  '28000':
    'Correct the user in DATABASE_URL, or allow it in pg_hba.conf of the server (with TLS, if it requires TLS).',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
  '42501': 'Grant CONNECT on the database to the user of DATABASE_URL.',
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

/** Connects to the database once. */
export async function connectionFinding(database: Database): Promise<Finding> {
  try {
    await database.read((db) => db.execute(sql`select 1`))
    return ok('The database answers.')
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (cause instanceof PoolerError) return failed(cause.fact, cause.change)
    const code = failureCode(error)
    const isCertificate = isCertificateFailure(code)
    return failed(
      isCertificate
        ? `The certificate of the database is not accepted (${code}).`
        : `No connection to the database (${code}).`,
      isCertificate
        ? 'Correct sslrootcert or the host name in DATABASE_URL: the certificate must name the host.'
        : (changes[code] ?? 'Check DATABASE_URL and the log of the database.'),
    )
  }
}
