import type { Database } from '../database/database.ts'
import type { HealthCheck } from './health.ts'
import type { Worker } from './workers.ts'

/**
 * The largest difference of two clocks that is healthy. Synchronized clocks differ by milliseconds; tokens and signed URLs
 * tolerate seconds.
 */
export const toleratedClockMs = 5_000

const isOff = (aheadMs: number | null): aheadMs is number =>
  aheadMs !== null && Math.abs(aheadMs) > toleratedClockMs

/**
 * Measures the clock of the database at the start and every 10 s. Logs a warning when the host's clock starts to differ by
 * more than 5 s, and a line when it agrees again. `startHost` and `startBackgroundHost` run this worker. An application
 * with `startWorkers` adds it to its own workers.
 */
export function clockWorker({ clock }: Pick<Database, 'clock'>): Worker {
  let wasOff = false
  return {
    name: 'database.clock',
    // The process can be suspended, and a failover can lead to a server with another time. Both are corrected after 10 s.
    intervalMs: 10_000,
    dueAt: null,
    async runOnce(_signal, logger) {
      await clock.measure()
      const { hostAheadMs } = clock
      if (isOff(hostAheadMs) === wasOff) return
      wasOff = !wasOff
      if (wasOff) logger?.warn({ hostAheadMs }, "The host's clock differs from the database's clock.")
      else logger?.info({ hostAheadMs }, "The host's clock agrees with the database's clock again.")
    },
  }
}

/**
 * Reports Degraded while the host's clock differs from the database's by more than 5 s. It measures only if no worker has
 * measured before.
 */
export function clockHealth({ clock }: Pick<Database, 'clock'>): HealthCheck {
  return {
    name: 'clock',
    async check() {
      if (clock.hostAheadMs === null) await clock.measure()
      const { hostAheadMs } = clock
      if (!isOff(hostAheadMs)) return { status: 'Healthy' }
      return {
        status: 'Degraded',
        detail: `The host's clock is ${difference(hostAheadMs)} the database's. Synchronize the clocks of all machines.`,
      }
    },
  }
}

const difference = (aheadMs: number): string =>
  `${Math.abs(Math.round(aheadMs / 1000))} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
