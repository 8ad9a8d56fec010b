import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { HealthCheck } from '../host/health.ts'
import type { Worker } from '../host/workers.ts'
import { partitionsAreReady } from './queries/partitions-are-ready.ts'

/** A partition is created two years in advance, so some failed cycles do no harm. */
const intervalMs = 6 * 3_600_000

/**
 * Creates the partitions of the audit log for the current year and the next two, at the start and every 6 hours. Without
 * the partition of the current year, no event could be written. `startHost` and `startBackgroundHost` run this worker. An
 * application with `startWorkers` adds it to its own workers.
 */
export function auditPartitionsWorker(database: Database): Worker {
  return {
    name: 'audit.partitions',
    intervalMs,
    async runOnce() {
      if (await database.read((db) => partitionsAreReady(db, 2))) return
      await database.statement((tx) => tx.execute(sql`select core_audit.create_audit_partitions()`))
    },
  }
}

/** Reports Degraded if the partition of the next year is missing. */
export function auditPartitionsHealth(database: Database): HealthCheck {
  return {
    name: 'audit',
    async check() {
      if (await database.read((db) => partitionsAreReady(db, 1))) return { status: 'Healthy' }
      return {
        status: 'Degraded',
        detail: 'The audit log has no partition for the next year. Run the doctor, or a host with workers.',
      }
    },
  }
}
