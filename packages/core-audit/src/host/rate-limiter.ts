/** A maximum number of requests within a time. */
export interface Rate {
  readonly count: number
  readonly windowMs: number
}

/** Limits the rate of requests for each key, for example for each user. */
export interface RateLimiter {
  readonly rate: Rate
  /** Returns how many more requests of a key are allowed now. */
  remaining(key: string): number
  /** Counts one request of a key. Call it only while `remaining` is above 0. */
  take(key: string): void
  /** Returns the time until the next request of a key is allowed; 0 if it is allowed now. */
  nextInMs(key: string): number
  /** Returns the time until the whole rate of a key is available again. */
  resetInMs(key: string): number
  /** Returns the number of keys in memory. */
  keyCount(): number
}

export interface RateLimiterOptions {
  /** A clock in milliseconds that never goes back, such as `performance.now`. */
  readonly now: () => number
  /** Maximum number of remembered keys. */
  readonly keysMax?: number
}

/** 50,000 keys take about 8 MB. */
const defaultKeysMax = 50_000

/**
 * Creates a limiter in memory, a generic cell rate algorithm (ITU-T I.371): after a pause, `count` requests are allowed
 * together; from then on, one for each `windowMs / count`. A key needs one number. When `keysMax` keys are in use, the key
 * that was used least recently is forgotten and starts again, so memory has a fixed limit.
 */
export function createRateLimiter(
  rate: Rate,
  { now, keysMax = defaultKeysMax }: RateLimiterOptions,
): RateLimiter {
  const { count, windowMs } = rate
  const intervalMs = windowMs / count
  /** When the whole rate of each key is available again. The key that was used least recently comes first. */
  const fullAtMs = new Map<string, number>()
  const resetInMs = (key: string): number => Math.max(0, (fullAtMs.get(key) ?? 0) - now())
  const remaining = (key: string): number =>
    // `intervalMs` is seldom a whole number. The addition absorbs rounding errors.
    Math.max(0, Math.floor((windowMs - resetInMs(key)) / intervalMs + 0.01))

  return {
    rate,
    remaining,
    resetInMs,
    keyCount: () => fullAtMs.size,
    nextInMs: (key) => (remaining(key) > 0 ? 0 : resetInMs(key) + intervalMs - windowMs),
    take(key) {
      const nowMs = now()
      const fullAt = Math.max(nowMs, fullAtMs.get(key) ?? 0) + intervalMs
      fullAtMs.delete(key)
      fullAtMs.set(key, fullAt)
      forgetUnused(fullAtMs, { nowMs, keysMax })
    },
  }
}

/** Removes up to two keys, so that keys which are no longer used disappear faster than new ones are added. */
function forgetUnused(
  fullAtMs: Map<string, number>,
  { nowMs, keysMax }: { nowMs: number; keysMax: number },
): void {
  let removedCount = 0
  for (const [key, atMs] of fullAtMs) {
    if (removedCount === 2 || (atMs > nowMs && fullAtMs.size <= keysMax)) return
    fullAtMs.delete(key)
    removedCount += 1
  }
}
