import type { HostDatabaseConfig } from '../database/config.ts'
import type { Database } from '../database/database.ts'
import { databaseErrorCode } from '../database/database-errors.ts'
import { MigrationsError } from '../database/migration-ledger.ts'
import { settingProblems } from '../database/session-settings.ts'
import { sql } from '../database/sql.ts'
import { checkMigrations } from '../host/host-migrations.ts'
import type { KitModule } from '../module.ts'
import { auditPartitionsCheck } from './audit-partitions.ts'
import { type DoctorCheck, type Finding, failed, ok, skipped, warning } from './check.ts'
import { clockFinding } from './clock-finding.ts'
import { connectionFinding } from './connection-finding.ts'
import { connectionsCheck, replicationCheck } from './database-capacity.ts'
import { roleCheck } from './database-role.ts'
import { outboxConsumersCheck } from './outbox-consumers.ts'

export interface DatabaseChecksOptions {
  readonly database: Database
  readonly modules: readonly KitModule[]
  /** Absent at the start of a host, which only has the pool. */
  readonly config?: HostDatabaseConfig
}

/** Returns the checks of the database. If it cannot be reached, only `database.connection` fails. */
export function databaseChecks(options: DatabaseChecksOptions): readonly DoctorCheck[] {
  const { database, modules, config } = options
  const connecting = memoize(() => connectionFinding(database))
  const connected = (check: DoctorCheck): DoctorCheck => ({
    ...check,
    needs: ['database.connection'],
    run: async (context) => {
      const { status } = await connecting()
      return status === 'failed' ? skipped('Needs database.connection.') : check.run(context)
    },
  })
  return [
    { name: 'database.connection', run: connecting },
    ...[
      versionCheck(database),
      ...(config === undefined ? [] : [encryptionCheck(database, config), settingsCheck(database, config)]),
      migrationsCheck(database, modules),
      roleCheck(database, modules),
      auditPartitionsCheck(database),
      outboxConsumersCheck(database, modules),
      ...(config === undefined ? [] : [connectionsCheck(database, config)]),
      replicationCheck(database),
      clockCheck(database),
    ].map(connected),
  ]
}

/** Runs `work` at most once. */
function memoize<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

const oldestVersion = 150_000

const versionCheck = (database: Database): DoctorCheck => ({
  name: 'database.version',
  isQuick: true,
  async run() {
    const [row] = await database.read((db) =>
      db.execute<{ number: number; text: string; encoding: string }>(sql`
        select current_setting('server_version_num')::int as number, current_setting('server_version') as text,
          current_setting('server_encoding') as encoding`),
    )
    if (row === undefined || row.number < oldestVersion) {
      return failed(
        `PostgreSQL ${row?.text} is not supported.`,
        'Use PostgreSQL 15 or newer in DATABASE_URL.',
      )
    }
    if (row.encoding !== 'UTF8') {
      return warning(
        `The database has the encoding ${row.encoding}, so it refuses some characters, or takes one for several.`,
        "Move the data to a database that was created with encoding 'UTF8'.",
      )
    }
    return ok(`PostgreSQL ${row.text}.`)
  },
})

const encryptionCheck = (database: Database, config: HostDatabaseConfig): DoctorCheck => ({
  name: 'database.encryption',
  async run() {
    // Through a pooler, the server sees the pooler's connection.
    if (config.pooler !== 'none') return ok('Not checked through a pooler.')
    const [row] = await database.read((db) =>
      db.execute<{ isEncrypted: boolean; isLocal: boolean }>(sql`
        select ssl as "isEncrypted",
          coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as "isLocal"
        from pg_stat_ssl where pid = pg_backend_pid()`),
    )
    if (row?.isEncrypted === true) return ok('The connection is encrypted.')
    if (row?.isLocal === true) return ok('The connection does not leave this machine.')
    return warning(
      'The connection crosses a network without encryption.',
      'Add sslmode=verify-full to DATABASE_URL.',
    )
  },
})

const settingsCheck = (database: Database, config: HostDatabaseConfig): DoctorCheck => ({
  name: 'database.settings',
  async run() {
    const rows = await database.read((db) =>
      db.execute<{ name: string; setting: string }>(sql`select name, setting from pg_settings`),
    )
    const problems = settingProblems(rows, config)
    if (problems.length === 0)
      return ok('The timeouts, the search path and the isolation level are in effect.')
    return failed(
      `${problems.join('; ')}.`,
      config.pooler === 'none'
        ? 'A pooler drops the settings: set DATABASE_POOLER to its mode.'
        : 'Set them for the role of DATABASE_URL.',
    )
  },
})

const migrationsCheck = (database: Database, modules: readonly KitModule[]): DoctorCheck => ({
  name: 'database.migrations',
  async run(): Promise<Finding> {
    try {
      await checkMigrations(database, modules)
      return ok('All migrations are applied.')
    } catch (error) {
      if (!(error instanceof MigrationsError)) throw error
      const [heading = '', ...names] = error.message.split('\n')
      const list = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
      return failed(
        [heading, ...list].join(' '),
        databaseErrorCode(error) === '42501'
          ? 'Run the grants of the database guide for the role of DATABASE_URL.'
          : 'Run "migrate up" with the migrator\'s role in DATABASE_URL, or use the release that belongs to this database.',
      )
    }
  },
})

const clockCheck = (database: Database): DoctorCheck => ({
  name: 'clock.database',
  isQuick: true,
  async run({ now }) {
    // The first statement of a connection also waits for the connection.
    await database.read((db) => db.execute(sql`select 1`))
    const sentAtMs = now()
    const [row] = await database.read((db) =>
      db.execute<{ ms: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`),
    )
    return clockFinding('the database', {
      ...{ sentAtMs, receivedAtMs: now(), resolutionMs: 0 },
      theirsMs: Number(row?.ms),
    })
  },
})
