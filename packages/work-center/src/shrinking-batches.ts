/** Batches that become smaller after a failure. */
export interface ShrinkingBatches {
  readonly size: number
  /**
   * Runs a batch. After a failure, later batches have half the size. A minute after the last failure, each success doubles the size
   * again, up to the maximum: an earlier attempt would cost another statement timeout.
   */
  run<T>(batch: (size: number) => Promise<T>): Promise<T>
}

const growthPauseMs = 60_000

/**
 * Creates batches of at most `max` items. The items of a batch can have any number of recipients, so a batch can exceed the statement
 * timeout each time, although each of its items does not.
 */
export function createShrinkingBatches(max: number): ShrinkingBatches {
  let size = max
  let failedAtMs = Number.NEGATIVE_INFINITY
  return {
    get size() {
      return size
    },
    async run(batch) {
      try {
        const result = await batch(size)
        if (performance.now() - failedAtMs >= growthPauseMs) size = Math.min(max, size * 2)
        return result
      } catch (error) {
        failedAtMs = performance.now()
        size = Math.max(1, Math.floor(size / 2))
        throw error
      }
    },
  }
}

/**
 * Runs batches until one is not full. `batch` returns whether it was full. After a failure, tries a smaller batch.
 * @throws the error of a batch with one item
 */
export async function runBatches(
  batches: ShrinkingBatches,
  signal: AbortSignal,
  batch: (size: number) => Promise<boolean>,
): Promise<void> {
  for (let isFull = true; isFull && !signal.aborted; ) {
    const { size } = batches
    isFull = await batches.run(batch).catch((error: unknown) => {
      if (size === 1) throw error
      return true
    })
  }
}

/** Runs all steps, one after the other, and then throws the errors of those that failed. */
export async function runEach(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const step of steps) await step().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors)
}
