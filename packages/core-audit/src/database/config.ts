import type { EnvironmentReader } from '../host/environment.ts'
import type { DatabasePassword } from './client.ts'
import { databaseUrlProblems, hasPassword } from './database-url.ts'

/** How a pooler such as PgBouncer shares server connections: one per client connection, or one per transaction. */
export type Pooler = 'none' | 'session' | 'transaction'

/** The address of the database, and the limits for connections and waiting times. */
export interface DatabaseConfig {
  readonly url: string
  /** Returns the current password for each new connection. Used if the address contains no password. */
  readonly password?: DatabasePassword | undefined
  /** The address of a standby for reads with a position, without a pooler. */
  readonly readUrl?: string
  /** The mode of the pooler between the host and the server. */
  readonly pooler: Pooler
  /** Whether statements are prepared once per connection. A pooler in transaction mode must support it. */
  readonly preparedStatements: boolean
  readonly poolMax: number
  readonly poolWaitMs: number
  readonly connectTimeoutSeconds: number
  /** Maximum duration of a statement, enforced by the server; 0 means no limit. */
  readonly statementTimeoutMs: number
  /**
   * Additional time after `statementTimeoutMs` for the server's answer to a statement, `begin`, `commit`, `rollback` or
   * savepoint. If no answer arrives, the connection is destroyed and its pending work fails with `service.unavailable`.
   */
  readonly answerMarginMs: number
  readonly lockTimeoutMs: number
  readonly idleInTransactionTimeoutMs: number
  readonly applicationName: string
}

/** The default limits. The waiting times bridge a short overload, but end before the client of a request times out. */
export const databaseDefaults = {
  pooler: 'none',
  preparedStatements: true,
  poolMax: 10,
  poolWaitMs: 5_000,
  connectTimeoutSeconds: 5,
  statementTimeoutMs: 15_000,
  answerMarginMs: 5_000,
  lockTimeoutMs: 5_000,
  idleInTransactionTimeoutMs: 15_000,
  applicationName: 'vertical-kit',
} as const satisfies Omit<DatabaseConfig, 'url' | 'password'>

/** The configuration of a host, with the address that bypasses the pooler. */
export interface HostDatabaseConfig extends DatabaseConfig {
  /** For migrations and LISTEN, which need a session of their own. */
  readonly directUrl: string
}

/**
 * Reads `DATABASE_URL` (required), `DATABASE_PASSWORD` or `DATABASE_PASSWORD_FILE` (for addresses without a password),
 * `DATABASE_POOL_MAX` (default 10), `DATABASE_POOLER` (`none`, `session` or `transaction`), `DATABASE_DIRECT_URL` (default
 * `DATABASE_URL`, required with a pooler), `DATABASE_READ_URL` (optional) and `DATABASE_PREPARED_STATEMENTS` (default `false` in
 * transaction mode).
 */
export function readDatabaseConfig(env: EnvironmentReader): HostDatabaseConfig {
  const url = readDatabaseUrl(env, 'DATABASE_URL')
  const pooler = env.string('DATABASE_POOLER', {
    default: databaseDefaults.pooler,
    pattern: /^(none|session|transaction)$/,
    expected: 'none, session or transaction',
  }) as Pooler
  const password = env.secret('DATABASE_PASSWORD')
  if (password !== undefined && hasPassword(url)) {
    env.problem('DATABASE_PASSWORD', 'DATABASE_URL also contains a password; remove it there')
  }
  const readUrl = readDatabaseUrl(env, 'DATABASE_READ_URL', { default: '' })
  const isPooled = pooler === 'session' || pooler === 'transaction'
  const directUrl = readDatabaseUrl(env, 'DATABASE_DIRECT_URL', isPooled ? {} : { default: '' })
  return {
    ...databaseDefaults,
    url,
    password,
    directUrl: directUrl === '' ? url : directUrl,
    ...(readUrl !== '' && { readUrl }),
    pooler,
    preparedStatements: env.boolean('DATABASE_PREPARED_STATEMENTS', { default: pooler !== 'transaction' }),
    poolMax: env.integer('DATABASE_POOL_MAX', { default: databaseDefaults.poolMax, min: 1, max: 500 }),
  }
}

/** The address of the database without a pooler, for commands such as the migrator. */
export interface DirectAddress {
  readonly databaseUrl: string
  readonly password: DatabasePassword | undefined
}

/** Reads `DATABASE_DIRECT_URL`, or `DATABASE_URL` if it is absent, and the password like {@link readDatabaseConfig}. */
export function readDirectAddress(env: EnvironmentReader): DirectAddress {
  const direct = env.string('DATABASE_DIRECT_URL')
  return {
    databaseUrl: readDatabaseUrl(env, direct === '' ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'),
    password: env.secret('DATABASE_PASSWORD'),
  }
}

/**
 * Reads a key with the address of a database. Reports each parameter that cannot be used as a problem, by its name. Without
 * a default, the key is required.
 */
export function readDatabaseUrl(
  env: EnvironmentReader,
  key: string,
  options: { readonly default?: '' } = {},
): string {
  const url = options.default === undefined ? env.required(key) : env.string(key)
  if (url !== '') for (const problem of databaseUrlProblems(url)) env.problem(key, problem)
  return url
}
