import type { Database, Db } from '../database/database.ts'
import { type AuditPartition, listPartitions } from './queries/list-partitions.ts'

/**
 * Short enough for a partition that an operator attaches again. A partition that is missing in the list or no longer exists
 * is harmless: see `partitionRanges`.
 */
const maxAgeMs = 3_600_000

/** Returns a function that returns the partitions, newest first. It reads them once an hour. */
export function knownPartitions({
  clock,
}: Pick<Database, 'clock'>): (db: Db) => Promise<readonly AuditPartition[]> {
  let known: { readonly partitions: readonly AuditPartition[]; readonly readAtMs: number } | undefined
  return async (db) => {
    const nowMs = clock.now()
    if (known === undefined || Math.abs(nowMs - known.readAtMs) > maxAgeMs) {
      known = { partitions: await listPartitions(db), readAtMs: nowMs }
    }
    return known.partitions
  }
}
