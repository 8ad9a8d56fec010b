import type { EnvironmentReader } from '../host/environment.ts'

/** How a pooler such as PgBouncer shares server connections: one per client connection, or one per transaction. */
export type Pooler = 'none' | 'session' | 'transaction'

/** The address of the database, and the limits for connections and waiting times. */
export interface DatabaseConfig {
  readonly url: string
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
} as const satisfies Omit<DatabaseConfig, 'url'>

/** The configuration of a host, with the address that bypasses the pooler. */
export interface HostDatabaseConfig extends DatabaseConfig {
  /** For migrations and LISTEN, which need a session of their own. */
  readonly directUrl: string
}

/**
 * Reads `DATABASE_URL` (required), `DATABASE_POOL_MAX` (default 10), `DATABASE_POOLER` (`none`, `session` or `transaction`),
 * `DATABASE_DIRECT_URL` (required with a pooler) and `DATABASE_PREPARED_STATEMENTS` (default `false` in transaction mode).
 */
export function readDatabaseConfig(env: EnvironmentReader): HostDatabaseConfig {
  const url = readUrl(env, 'DATABASE_URL')
  const pooler = env.string('DATABASE_POOLER', {
    default: databaseDefaults.pooler,
    pattern: /^(none|session|transaction)$/,
    expected: 'none, session or transaction',
  }) as Pooler
  const isPooled = pooler === 'session' || pooler === 'transaction'
  return {
    ...databaseDefaults,
    url,
    directUrl: isPooled ? readUrl(env, 'DATABASE_DIRECT_URL') : url,
    pooler,
    preparedStatements: env.boolean('DATABASE_PREPARED_STATEMENTS', { default: pooler !== 'transaction' }),
    poolMax: env.integer('DATABASE_POOL_MAX', { default: databaseDefaults.poolMax, min: 1, max: 500 }),
  }
}

function readUrl(env: EnvironmentReader, key: string): string {
  const url = env.required(key)
  const problem = url === '' ? null : databaseUrlProblem(url)
  if (problem !== null) env.problem(key, problem)
  return url
}

/** Returns why a database address is invalid, or `null` for a valid address. The result never contains the address. */
export function databaseUrlProblem(url: string): string | null {
  if (url === '') return 'is required'
  return isPostgresUrl(url) ? null : 'expected a postgres:// address'
}

/** Accepts the driver's format, `postgres://user:password@host:port/name`. The host can be a list: `a,b:5433`. */
function isPostgresUrl(text: string): boolean {
  const [, hosts] = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^@/?]+)/.exec(text) ?? []
  const [first] = hosts?.split(',') ?? []
  if (hosts === undefined || first === undefined || first === '') return false
  const url = URL.parse(text.replace(hosts, first))
  return url !== null && url.hostname !== '' && isDecodable(url.username) && isDecodable(url.password)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
