import { isKitError, type KitError } from './kit-error.ts'

/** Requests of one call, the first included. */
const maxAttempts = 4
const firstDelayMs = 300
/** Whoever is told to wait longer is better told that it did not work. */
const maxDelayMs = 10_000

/** Statuses that say "not now" rather than "not like this". */
const passing = new Set([0, 429, 502, 503, 504])

/** Whether the same request may succeed later: no answer, a service that is overloaded, or a key that is being executed. */
export function isTransient(error: unknown): error is KitError {
  if (!isKitError(error)) return false
  return passing.has(error.status) || error.code === 'document_action.in_progress'
}

/**
 * How long to wait before the next attempt at a request that may be repeated; null when there is none.
 * Waits double, and spread over half of their length, so that clients of one outage do not come back together.
 *
 * @param attempt of the request that failed, from 1
 * @param random from 0 up to 1
 */
export function retryDelayMs(error: unknown, attempt: number, random: number): number | null {
  if (attempt >= maxAttempts || !isTransient(error)) return null
  const delayMs = error.retryAfterMs ?? firstDelayMs * 2 ** (attempt - 1)
  return delayMs > maxDelayMs ? null : delayMs * (1 + random / 2)
}
