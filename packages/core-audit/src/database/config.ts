import type { EnvironmentReader } from '../host/environment.ts'

/** The address of the database, and the limits for connections and waiting times. */
export interface DatabaseConfig {
  readonly url: string
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
  poolMax: 10,
  poolWaitMs: 5_000,
  connectTimeoutSeconds: 5,
  statementTimeoutMs: 15_000,
  answerMarginMs: 5_000,
  lockTimeoutMs: 5_000,
  idleInTransactionTimeoutMs: 15_000,
  applicationName: 'vertical-kit',
} as const satisfies Omit<DatabaseConfig, 'url'>

/** Reads `DATABASE_URL` (required) and `DATABASE_POOL_MAX` (default 10). */
export function readDatabaseConfig(env: EnvironmentReader): DatabaseConfig {
  const url = env.required('DATABASE_URL')
  const problem = url === '' ? null : databaseUrlProblem(url)
  if (problem !== null) env.problem('DATABASE_URL', problem)
  return {
    ...databaseDefaults,
    url,
    poolMax: env.integer('DATABASE_POOL_MAX', { default: databaseDefaults.poolMax, min: 1, max: 500 }),
  }
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
