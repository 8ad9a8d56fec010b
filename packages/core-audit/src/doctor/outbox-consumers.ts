import type { Database } from '../database/database.ts'
import { databaseErrorCode } from '../database/database-errors.ts'
import type { KitModule } from '../module.ts'
import { namesOf, otherConsumersChange, summarizeOthers } from '../outbox/other-consumers.ts'
import { type DoctorCheck, ok, skipped, warning } from './check.ts'

/** Returns the check that the modules of this host handle the events for all registered consumers of the outbox. */
export const outboxConsumersCheck = (database: Database, modules: readonly KitModule[]): DoctorCheck => ({
  name: 'database.outbox',
  async run() {
    try {
      const others = await summarizeOthers(database, modules)
      if (others.length === 0) return ok('This host runs all registered consumers of the outbox.')
      return warning(
        `This host does not run ${namesOf(others)}. If no other host does, the outbox keeps all events.`,
        otherConsumersChange,
      )
    } catch (error) {
      if (!['42P01', '42501'].includes(databaseErrorCode(error) ?? '')) throw error
      return skipped('Needs database.migrations and database.role.')
    }
  },
})
