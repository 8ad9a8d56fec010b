import type { HealthStatus } from '../host/health.ts'

/** The longest delay between two attempts. */
const maxBackoffSeconds = 900

/**
 * Returns the delay after the n-th failed attempt: 2^n s, at most 900 s, varied by ±20 % so that deliveries that failed
 * together are not retried together. `random` is at least 0 and less than 1.
 */
export function backoffMs(attempt: number, random: number): number {
  const seconds = Math.min(2 ** attempt, maxBackoffSeconds) * (0.8 + 0.4 * random)
  return Math.round(Math.min(seconds, maxBackoffSeconds) * 1_000)
}

/** The outcome of a failed attempt: the delivery waits for a retry, or it becomes a dead letter for an operator. */
export type DeliveryOutcome =
  | { readonly state: 'pending'; readonly delayMs: number }
  | { readonly state: 'dead' }

/** Decides the outcome of a failed attempt. `random` is at least 0 and less than 1. */
export function decideOutcome(
  { attempt, maxAttempts }: { readonly attempt: number; readonly maxAttempts: number },
  random: number,
): DeliveryOutcome {
  return attempt >= maxAttempts
    ? { state: 'dead' }
    : { state: 'pending', delayMs: backoffMs(attempt, random) }
}

/** Maximum age of a pending delivery. All retries of an event that always fails fit into this time. */
const maxPendingAgeSeconds = 15 * 60

/** Returns Unhealthy if the oldest pending delivery is over 15 minutes old; otherwise Degraded if dead letters exist. */
export function outboxStatus(outbox: {
  readonly deadCount: number
  readonly oldestPendingAgeSeconds: number | null
}): HealthStatus {
  if ((outbox.oldestPendingAgeSeconds ?? 0) > maxPendingAgeSeconds) return 'Unhealthy'
  return outbox.deadCount > 0 ? 'Degraded' : 'Healthy'
}
