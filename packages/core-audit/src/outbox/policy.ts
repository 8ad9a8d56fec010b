import type { HealthStatus } from '../host/health.ts'

/** The longest wait between two attempts. */
const maxBackoffSeconds = 900

/**
 * How long a delivery waits after a failed attempt: 2^n s for the n-th, ±20 % so that what failed together does not come
 * back together, at most 900 s. `random` is from 0 up to 1.
 */
export function backoffMs(attempt: number, random: number): number {
  const seconds = Math.min(2 ** attempt, maxBackoffSeconds) * (0.8 + 0.4 * random)
  return Math.round(Math.min(seconds, maxBackoffSeconds) * 1_000)
}

/** What becomes of a delivery whose attempt failed: it waits, or an operator has to look at it. */
export type DeliveryOutcome =
  | { readonly state: 'pending'; readonly delayMs: number }
  | { readonly state: 'dead' }

/** Decides on a failed attempt. `random` is from 0 up to 1. */
export function decideOutcome(
  { attempt, maxAttempts }: { readonly attempt: number; readonly maxAttempts: number },
  random: number,
): DeliveryOutcome {
  return attempt >= maxAttempts
    ? { state: 'dead' }
    : { state: 'pending', delayMs: backoffMs(attempt, random) }
}

/** A consumer this far behind is not usable; every retry of an event that fails all its attempts fits in. */
const maxPendingAgeSeconds = 15 * 60

/** Degraded with dead letters, unhealthy when the oldest pending delivery is over 15 minutes old. */
export function outboxStatus(outbox: {
  readonly deadCount: number
  readonly oldestPendingAgeSeconds: number | null
}): HealthStatus {
  if ((outbox.oldestPendingAgeSeconds ?? 0) > maxPendingAgeSeconds) return 'Unhealthy'
  return outbox.deadCount > 0 ? 'Degraded' : 'Healthy'
}
