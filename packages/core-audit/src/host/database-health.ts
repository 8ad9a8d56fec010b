import type { Database } from '../database/database.ts'
import { MigrationsError } from '../database/migration-ledger.ts'
import { sql } from '../database/sql.ts'
import type { KitModule } from '../module.ts'
import type { HealthCheck } from './health.ts'
import { checkMigrations } from './host-migrations.ts'

/**
 * Reports healthy when the database answers and every migration of these modules is applied. Applied migrations stay
 * applied, so after the first success each check is one statement. Before the first success, the detail of the result is
 * the message of {@link checkMigrations}.
 */
export function databaseHealth(database: Database, modules: readonly KitModule[]): HealthCheck {
  let isCurrent = false
  return {
    name: 'database',
    async check() {
      try {
        if (isCurrent) await database.read((db) => db.execute(sql`select 1`))
        else await checkMigrations(database, modules)
      } catch (error) {
        if (error instanceof MigrationsError) return { status: 'Unhealthy', detail: error.message }
        throw error
      }
      isCurrent = true
      return { status: 'Healthy' }
    },
  }
}
