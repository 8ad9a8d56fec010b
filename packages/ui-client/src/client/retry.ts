import { isKitError, type KitError } from './kit-error.ts'

/** Maximum number of requests per call, including the first request. */
const maxAttempts = 4
const firstDelayMs = 300
/** If `Retry-After` exceeds this limit, the call fails instead of waiting. */
const maxDelayMs = 10_000

/** The statuses of temporary failures. Status 0 means that no response arrived. */
const temporaryStatuses = [0, 429, 502, 503, 504]

/** Returns whether a retry can succeed: after a missing response, an overload, or an execution still in progress. */
export const isTransient = (error: unknown): error is KitError =>
  isKitError(error) &&
  (temporaryStatuses.includes(error.status) || error.code === 'document_action.in_progress')

/**
 * Returns the delay before the next attempt of a repeatable request, or null if the request must not be retried. The delay
 * doubles with each attempt. A random extension of up to half of the delay prevents all clients from returning together
 * after an outage.
 *
 * @param attempt the number of the failed attempt, starting at 1
 * @param random a number that is at least 0 and less than 1
 */
export function retryDelayMs(error: unknown, attempt: number, random: number): number | null {
  if (attempt >= maxAttempts || !isTransient(error)) return null
  const delayMs = error.retryAfterMs ?? firstDelayMs * 2 ** (attempt - 1)
  return delayMs > maxDelayMs ? null : delayMs * (1 + random / 2)
}
