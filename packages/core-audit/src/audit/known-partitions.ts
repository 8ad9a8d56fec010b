import type { Database, Db } from '../database/database.ts'
import { type AuditPartition, listPartitions } from './queries/list-partitions.ts'

/** Partitions that were created or dropped since are harmless: see `partitionRanges`. */
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
