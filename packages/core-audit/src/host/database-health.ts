import type { Database } from '../database/database.ts'
import { MigrationsError } from '../database/migration-ledger.ts'
import type { KitModule } from '../module.ts'
import type { HealthCheck } from './health.ts'
import { checkMigrations } from './host-migrations.ts'

/** Some providers set this when the disk is full. */
const refusesWrites =
  'Transactions are read-only, because default_transaction_read_only is on. Reads still work.'

/**
 * Reports healthy when the database answers, every migration of these modules is applied, and transactions can write. Applied
 * migrations stay applied, so after the first success each check is one statement. It does not wait for a free connection: if
 * requests wait, for example behind a locked row, other hosts could not serve them sooner. Before the first success, the detail
 * of the result is the message of {@link checkMigrations}.
 */
export function databaseHealth(database: Database, modules: readonly KitModule[]): HealthCheck {
  let isCurrent = false
  return {
    name: 'database',
    async check() {
      try {
        if (!isCurrent) await checkMigrations(database, modules)
      } catch (error) {
        if (error instanceof MigrationsError) return { status: 'Unhealthy', detail: error.message }
        throw error
      }
      isCurrent = true
      const { isReadOnly } = await database.ping()
      return isReadOnly ? { status: 'Degraded', detail: refusesWrites } : { status: 'Healthy' }
    },
  }
}
