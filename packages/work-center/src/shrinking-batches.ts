/** Batches that become smaller after a failure. */
export interface ShrinkingBatches {
  readonly size: number
  /** Runs a batch. After a failure, later batches have half the size. After a batch that is not full, they have the maximum again. */
  run<T extends { readonly isFull: boolean }>(batch: (size: number) => Promise<T>): Promise<T>
  /** Returns to the maximum. */
  reset(): void
}

/**
 * Creates batches of at most `max` items. The items of a batch can have any number of recipients, so a batch can exceed the statement
 * timeout each time, although each of its items does not.
 */
export function createShrinkingBatches(max: number): ShrinkingBatches {
  let size = max
  return {
    get size() {
      return size
    },
    async run(batch) {
      try {
        const result = await batch(size)
        if (!result.isFull) size = max
        return result
      } catch (error) {
        size = Math.max(1, Math.floor(size / 2))
        throw error
      }
    },
    reset() {
      size = max
    },
  }
}
