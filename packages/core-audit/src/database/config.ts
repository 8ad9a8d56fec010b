import type { EnvironmentReader } from '../host/environment.ts'

/** Where the database is and how long anything may wait for it. */
export interface DatabaseConfig {
  readonly url: string
  readonly poolMax: number
  readonly poolWaitMs: number
  readonly connectTimeoutSeconds: number
  /** The server's limit on each statement; 0 for none. */
  readonly statementTimeoutMs: number
  /**
   * How much longer than `statementTimeoutMs` the server may leave a statement, `begin`, `commit`, `rollback` or savepoint
   * without an answer. A connection past that is destroyed, and what ran on it is refused with `service.unavailable`.
   */
  readonly answerMarginMs: number
  readonly lockTimeoutMs: number
  readonly idleInTransactionTimeoutMs: number
  readonly applicationName: string
}

/** Waits long enough for a busy moment, short enough that a request gets an answer before its client gives up. */
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

/** `DATABASE_URL` (required) and `DATABASE_POOL_MAX` (10). */
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

/** What is wrong with the address of a database, in words that do not repeat it; `null` when nothing is. */
export function databaseUrlProblem(url: string): string | null {
  if (url === '') return 'is required'
  return isPostgresUrl(url) ? null : 'expected a postgres:// address'
}

/** What the driver can use: `postgres://user:password@host:port/name`, of one host or several (`a,b:5433`). */
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
