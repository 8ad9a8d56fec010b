import type { AuditPartition } from './queries/list-partitions.ts'

/** A range of ids: from `firstId`, up to but without `endId`. `null` means that there is no bound. */
export interface IdRange {
  readonly firstId: string | null
  readonly endId: string | null
}

/**
 * Returns the ranges of ids in which a list looks for its page, newest first: one for each partition, without those of
 * coming years and those that have only newer ids than `before`.
 *
 * The range of the newest partition has no end, so it contains a partition that was created after the list of partitions
 * was read. A dropped partition only makes its range empty.
 *
 * @param partitions all partitions, newest first
 */
export function partitionRanges(
  partitions: readonly AuditPartition[],
  before: string | null,
): readonly IdRange[] {
  return partitions
    .map(({ firstId, endId, hasBegun }, index) => ({ firstId, endId: index === 0 ? null : endId, hasBegun }))
    .filter(({ firstId, hasBegun }) => hasBegun && (before === null || firstId === null || firstId < before))
    .map(({ firstId, endId }) => ({ firstId, endId }))
}
