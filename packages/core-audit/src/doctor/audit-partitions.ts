import { partitionsAreReady } from '../audit/queries/partitions-are-ready.ts'
import { partitionsWithoutSearchIndexes } from '../audit/queries/partitions-without-search-indexes.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type DoctorCheck, failed, ok, skipped, warning } from './check.ts'

/**
 * Returns the check that the audit log has partitions for this year and the next one, that a host can create more, and that all of
 * them have the indexes of the search.
 */
export const auditPartitionsCheck = (database: Database): DoctorCheck => ({
  name: 'database.audit',
  isQuick: true,
  async run() {
    const [row] = await database.read((db) =>
      db.execute<{ canCreate: boolean | null }>(sql`
        select has_function_privilege(to_regprocedure('core_audit.create_audit_partitions()'), 'execute') as "canCreate"`),
    )
    if (row === undefined || row.canCreate === null) {
      return skipped('Needs database.migrations: there are no partitions yet.')
    }
    if (!(await database.read((db) => partitionsAreReady(db, 1)))) {
      return failed(
        'The audit log has no partition for the next year: from January on, every write with an audit event would fail.',
        'Run "select core_audit.create_audit_partitions()" with the role of the migrator.',
      )
    }
    if (!row.canCreate) {
      return warning(
        'The role of DATABASE_URL cannot create partitions of the audit log.',
        'Run the grants of the database guide for the role of DATABASE_URL, also for the function.',
      )
    }
    const unindexed = await database.read(partitionsWithoutSearchIndexes)
    if (unindexed.length > 0) {
      return warning(
        `These partitions of the audit log lack indexes, so searches read all of their events: ${unindexed.join(', ')}.`,
        'Build the indexes with the statements of "Search" in the guide of the audit log.',
      )
    }
    return ok('The audit log has partitions for this year and the next one.')
  },
})
