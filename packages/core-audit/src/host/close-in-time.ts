import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Half of the time that `runHost` allows after the grace period, so that the process ends with status 0. */
const lastMs = 250

export interface ClosingLimit {
  /** The end of the grace period, by `performance.now`. */
  readonly endMs: number
  readonly logger: Logger
}

/**
 * Waits until databases are closed, at most until shortly after the grace period. A statement can take longer than that: the
 * end of the process then closes its connection.
 */
export async function closeInTime(
  close: () => Promise<void>,
  { endMs, logger }: ClosingLimit,
): Promise<void> {
  let isClosed = false
  const closed = close().finally(() => {
    isClosed = true
  })
  // A failure after the limit has no handler otherwise.
  closed.catch(() => {})
  const late = delay(Math.max(0, endMs - performance.now()) + lastMs, undefined, { ref: false })
  await Promise.race([closed, late])
  if (!isClosed) logger.warn('Statements did not end in time.')
}
