import { CoreError } from '../errors.ts'
import type { DatabaseConfig } from './config.ts'
import type { StatementRunner } from './connection.ts'

/** How the server reads and writes text. The server, the database and the role can have other values. */
export const textSettings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // Otherwise, a backslash in a text of a statement or a function would escape the next character.
  standard_conforming_strings: 'on',
} as const

/** Settings that a pooler follows for each client: it forwards them, and restores them on another server connection. */
export const trackedSettings = ({ applicationName }: DatabaseConfig) => ({
  application_name: applicationName,
  ...textSettings,
})

/** Settings that a server connection needs in addition. PgBouncer rejects or ignores them at the start of a connection. */
export const serverSettings = (config: DatabaseConfig) => ({
  search_path: 'pg_catalog, pg_temp',
  statement_timeout: config.statementTimeoutMs,
  lock_timeout: config.lockTimeoutMs,
  idle_in_transaction_session_timeout: config.idleInTransactionTimeoutMs,
  // Checks after a wait for a lock rely on a new snapshot for each statement.
  default_transaction_isolation: 'read committed' as const,
})

type Settings = ReturnType<typeof serverSettings>
type Name = keyof Settings

/**
 * Prepares a connection through a pooler. In session mode, one statement sets the settings, because the server connection is
 * ours until the client connection ends. In transaction mode, other clients share it, so the settings must come from the
 * role. In both modes, the connection is used only if all of them are in effect and its server is the primary.
 *
 * @throws {CoreError} service.unavailable if a setting is not in effect; its cause is a {@link PoolerError}
 */
export async function preparePooled(runner: StatementRunner, config: DatabaseConfig): Promise<void> {
  const settings = serverSettings(config)
  const wanted = Object.entries(settings).map(([name, value]) => [name, String(value)])
  if (config.pooler === 'session') {
    const calls = wanted.map(
      (_, index) => `pg_catalog.set_config($${2 * index + 1}, $${2 * index + 2}, false)`,
    )
    await runner.statement(`select ${calls.join(', ')}`, wanted.flat())
  }
  const rows = await runner.statement<{ name: Name; setting: string; is_standby: boolean }>(
    `select name, setting, pg_catalog.pg_is_in_recovery() as is_standby
    from pg_catalog.pg_settings
    where name operator(pg_catalog.=) any ($1::text[])`,
    [wanted.map(([name]) => name)],
  )
  if (rows.some((row) => row.is_standby)) {
    throw new CoreError('service.unavailable', {
      cause: new PoolerError(
        'The server behind the pooler is not the primary.',
        'Point the pooler of DATABASE_URL to the primary.',
      ),
    })
  }
  const problems = settingProblems(rows, config)
  if (problems.length === 0) return
  const roles = wanted.map(([name, value]) => `alter role … set ${name} = ${literalOf(name, value)};`)
  throw new CoreError('service.unavailable', {
    cause: new PoolerError(
      `The connections of the pooler lack settings: ${problems.join('; ')}.`,
      'Set them for the role of DATABASE_URL, then reconnect the pooler.',
      roles,
    ),
  })
}

/** Quotes the only value that is one text with a space. Quotes would turn the search path into a single name. */
const literalOf = (name = '', value = ''): string =>
  name === 'default_transaction_isolation' ? `'${value}'` : value

/** Why the connections of a pooler cannot be used, and what to change. Contains no secret and no data. */
export class PoolerError extends Error {
  readonly fact: string
  readonly change: string
  /** The message also contains `statements`, which make the change. */
  constructor(fact: string, change: string, statements: readonly string[] = []) {
    super([`${fact} ${change}`, ...statements].join('\n'))
    this.name = 'PoolerError'
    this.fact = fact
    this.change = change
  }
}

/** Returns the settings among `rows` of `pg_settings` that differ from those of the configuration. */
export function settingProblems(
  rows: readonly { readonly name: string; readonly setting: string }[],
  config: DatabaseConfig,
): readonly string[] {
  const settings = serverSettings(config)
  const isOurs = (name: string): name is Name => Object.hasOwn(settings, name)
  return rows.flatMap(({ name, setting }) => (isOurs(name) ? problemOf(name, setting, settings) : []))
}

/** Limits may be stricter than ours, but not absent. Texts must be equal. */
function problemOf(name: Name, setting: string, wanted: Settings): readonly string[] {
  if (name === 'search_path' || name === 'default_transaction_isolation') {
    const isEqual = setting.replaceAll(/\s/g, '') === wanted[name].replaceAll(' ', '')
    return isEqual ? [] : [`${name} is "${setting}"`]
  }
  const limitMs = wanted[name]
  const isFine = limitMs === 0 || (Number(setting) > 0 && Number(setting) <= limitMs)
  return isFine ? [] : [`${name} is ${setting} ms instead of at most ${limitMs} ms`]
}
