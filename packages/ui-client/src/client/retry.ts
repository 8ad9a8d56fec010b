import { isKitError, type KitError } from './kit-error.ts'

/** Maximum number of requests per call, including the first. */
const maxAttempts = 4
const firstDelayMs = 300
/** If Retry-After exceeds this, fail instead of waiting. */
const maxDelayMs = 10_000

/** Statuses of temporary failures; 0 is a missing answer. */
const temporaryStatuses = new Set([0, 429, 502, 503, 504])

/** Returns whether a retry can succeed: no answer, an overloaded service, or a key with an execution in progress. */
export function isTransient(error: unknown): error is KitError {
  if (!isKitError(error)) return false
  return temporaryStatuses.has(error.status) || error.code === 'document_action.in_progress'
}

/**
 * Returns the delay before the next attempt of a repeatable request; null when it must not be retried. Delays double. A
 * random extension of up to half of the delay prevents clients from returning together after an outage.
 *
 * @param attempt the number of the failed attempt, from 1
 * @param random a number from 0 up to 1
 */
export function retryDelayMs(error: unknown, attempt: number, random: number): number | null {
  if (attempt >= maxAttempts || !isTransient(error)) return null
  const delayMs = error.retryAfterMs ?? firstDelayMs * 2 ** (attempt - 1)
  return delayMs > maxDelayMs ? null : delayMs * (1 + random / 2)
}
