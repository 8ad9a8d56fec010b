import type { AuditPartition } from './queries/list-partitions.ts'

/** A range of ids: from `firstId`, up to but without `endId`. `null` means that there is no bound. */
export interface IdRange {
  readonly firstId: string | null
  readonly endId: string | null
}

/**
 * Returns the ranges of ids in which a list looks for its page, newest first: one for each partition, without those that
 * have only ids from `before` on, or only ids before `since`.
 *
 * A range ends where the next partition begins, and that of the newest partition has no end. So the ranges also contain
 * partitions that were created after the list of partitions was read. A dropped partition only makes its range empty.
 *
 * @param partitions all partitions, newest first
 */
export function partitionRanges(
  partitions: readonly AuditPartition[],
  before: string | null,
  since: string | null = null,
): readonly IdRange[] {
  return partitions
    .map(({ firstId }, index) => ({ firstId, endId: partitions[index - 1]?.firstId ?? null }))
    .filter(({ firstId }) => before === null || firstId === null || firstId < before)
    .filter(({ endId }) => since === null || endId === null || endId > since)
}
