import type { HostDatabaseConfig } from '../database/config.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type DoctorCheck, failed, ok, warning } from './check.ts'

/** The share of the connections that the replicas should leave for migrations, monitoring and rolling restarts. */
const reserveShare = 0.2

/** Returns the check that the server has enough connections for the pools of all replicas. */
export const connectionsCheck = (database: Database, config: HostDatabaseConfig): DoctorCheck => ({
  name: 'database.connections',
  async run({ replicaCount }) {
    const [row] = await database.read((db) =>
      db.execute<{ available: number }>(sql`
        select least(
          current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
          (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
          (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
        ) as available`),
    )
    const available = row?.available ?? 0
    // Behind a pooler, only the listening connections of the replicas reach the server directly.
    const perReplica = config.pooler === 'none' ? config.poolMax + 1 : 1
    const needed = perReplica * replicaCount
    const fact = `The pools need ${needed} of ${available} connections (replicas: ${replicaCount})`
    const change = 'Lower DATABASE_POOL_MAX, raise max_connections, or use a pooler (DATABASE_POOLER).'
    if (needed > available) return failed(`${fact}.`, change)
    if (needed > available * (1 - reserveShare)) {
      return warning(`${fact}; a rolling restart needs more for a moment.`, change)
    }
    return ok(`${fact}.`)
  },
})

/** One segment of the log. A standby that is further behind leaves lists to the primary, and its promotion takes longer. */
const lagWarningBytes = 16 * 1024 ** 2

/** Returns the check that the standbys keep up. */
export const replicationCheck = (database: Database): DoctorCheck => ({
  name: 'database.replication',
  async run() {
    const standbys = await database.read((db) =>
      db.execute<{ lagBytes: number | null }>(sql`
        select pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as "lagBytes" from pg_stat_replication`),
    )
    if (standbys.length === 0) return ok('The database has no standby.')
    const lags = standbys.map(({ lagBytes }) => lagBytes)
    if (lags.includes(null)) {
      return ok(`Standbys: ${lags.length}; grant pg_monitor to the role to see their lag.`)
    }
    const worst = Math.max(...lags.map(Number))
    if (worst <= lagWarningBytes) return ok(`Standbys: ${lags.length}, up to date.`)
    return warning(
      `A standby is ${Math.round(worst / 1024 ** 2)} MiB behind.`,
      'Check the load and the network of the standby.',
    )
  },
})
