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

const defaultKeysMax = 50_000

/**
 * Creates a limiter in memory, a generic cell rate algorithm (ITU-T I.371): after a pause, `count` requests are allowed
 * together; from then on, one for each `windowMs / count`. A key needs one number. If more than `keysMax` keys are in use, the
 * keys that were not used for the longest time start again, so memory has a fixed limit.
 */
export function createRateLimiter(
  rate: Rate,
  { now, keysMax = defaultKeysMax }: RateLimiterOptions,
): RateLimiter {
  const { count, windowMs } = rate
  const intervalMs = windowMs / count
  // When the whole rate of each key is available again. A key that is used moves from the older map to the newer one. The older
  // map is dropped as a whole: to delete single keys from the start of a large Map takes 100 µs each in V8.
  let newer = new Map<string, number>()
  let older = new Map<string, number>()
  let renewedAtMs = now()
  const fullAtMs = (key: string): number => newer.get(key) ?? older.get(key) ?? 0
  const resetInMs = (key: string): number => Math.max(0, fullAtMs(key) - now())
  const remaining = (key: string): number =>
    // `intervalMs` is seldom a whole number. The addition absorbs rounding errors.
    Math.max(0, Math.floor((windowMs - resetInMs(key)) / intervalMs + 0.01))
  /** After a window without use, the whole rate of a key is available, so its entry is no longer needed. */
  const renew = (nowMs: number): void => {
    if (nowMs - renewedAtMs < windowMs && newer.size < keysMax / 2) return
    older = newer
    newer = new Map()
    renewedAtMs = nowMs
  }

  return {
    rate,
    remaining,
    resetInMs,
    keyCount: () => newer.size + older.size,
    nextInMs: (key) => (remaining(key) > 0 ? 0 : resetInMs(key) + intervalMs - windowMs),
    take(key) {
      const nowMs = now()
      const nextFullAtMs = Math.max(nowMs, fullAtMs(key)) + intervalMs
      renew(nowMs)
      newer.set(key, nextFullAtMs)
    },
  }
}
