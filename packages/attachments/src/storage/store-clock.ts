import type { HealthCheck, Worker } from '@vertical-kit/core-audit/host'

export interface StoreClockOptions {
  /** The URL of the store for the service. */
  readonly endpoint: string
  /** Returns the time of the database in milliseconds since 1970. */
  readonly now: () => number
}

/** The clock of the object store, as its `Date` header shows it. */
export interface StoreClock {
  /**
   * Returns the time for signatures in milliseconds since 1970: the time of the database. If the store's clock differs from
   * it by more than 5 s, returns the time of the store, because the store checks signatures with its own clock. Never
   * follows a difference of more than a day.
   */
  now(): number
  /** Compares the clocks when it starts and every minute. Logs when they start to differ and when they agree again. */
  readonly worker: Worker
  /** Reports Degraded while the clocks differ by more than 5 s. */
  readonly health: HealthCheck
}

/** The largest difference that is healthy. Stores reject requests whose signature is 15 minutes off. */
const toleratedMs = 5_000

/**
 * The largest difference that signatures follow. Nothing signs `Date`: a proxy that changes it could otherwise cause URLs
 * that become valid in a year, when their user may have lost the permission.
 */
const followedMs = 86_400_000

/** `Date` has whole seconds (RFC 9110 §5.6.7), so on average it is half a second old. */
const dateAgeMs = 500

/** Creates the clock. Until the first comparison, it has the time of the database. */
export function createStoreClock(options: StoreClockOptions): StoreClock {
  const { now } = options
  /** How far the store's clock is ahead of the database's; 0 while the difference is tolerated or unknown. */
  let aheadMs = 0
  return {
    now: () => now() + (Math.abs(aheadMs) > followedMs ? 0 : aheadMs),
    worker: {
      name: 'attachments.store-clock',
      intervalMs: 60_000,
      dueAt: null,
      async runOnce(signal, logger) {
        const measured = await compare(options, signal)
        // An unreachable store has no time. Requests that need the store report the failure.
        if (measured === undefined) return
        const wasOff = aheadMs !== 0
        aheadMs = Math.abs(measured) > toleratedMs ? Math.round(measured) : 0
        const isOff = aheadMs !== 0
        if (isOff && !wasOff) {
          logger?.warn({ aheadMs }, "The object store's clock differs from the database's clock.")
        } else if (wasOff && !isOff) {
          logger?.info("The object store's clock agrees with the database's clock again.")
        }
      },
    },
    health: {
      name: 'objectStoreClock',
      async check() {
        if (aheadMs === 0) return { status: 'Healthy' }
        const difference = `${Math.abs(Math.round(aheadMs / 1000))} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
        return {
          status: 'Degraded',
          detail: `The object store's clock is ${difference} the database's. Synchronize the clocks of all machines.`,
        }
      },
    },
  }
}

/**
 * Returns how far the store's clock is ahead of the database's, or `undefined` without a usable response. The request needs
 * no credentials: a store dates its refusals, too. It is short, so the store read its clock about halfway.
 */
async function compare(options: StoreClockOptions, signal: AbortSignal): Promise<number | undefined> {
  const { endpoint, now } = options
  const sentMs = now()
  try {
    const { headers } = await fetch(endpoint, {
      method: 'HEAD',
      redirect: 'manual',
      // A slower response does not show the difference exactly enough.
      signal: AbortSignal.any([signal, AbortSignal.timeout(toleratedMs)]),
    })
    const middleMs = (sentMs + now()) / 2
    const storeMs = Date.parse(headers.get('date') ?? '') + dateAgeMs
    return Number.isNaN(storeMs) ? undefined : storeMs - middleMs
  } catch {
    return undefined
  }
}
