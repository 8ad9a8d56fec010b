import { counter } from '../telemetry/metrics.ts'

const attempts = counter('vertical_kit.outbox.attempts', {
  unit: '{attempt}',
  description: 'Attempts to handle a delivery, by outcome: completed, failed or dead.',
})

/** Counts attempts for the metrics. `dead` is the last failed attempt of a delivery, which is a dead letter now. */
export function countAttempts(
  outcome: 'completed' | 'failed' | 'dead',
  consumer: string,
  count: number,
): void {
  attempts.record(count, {
    'vertical_kit.outbox.consumer': consumer,
    'vertical_kit.outbox.outcome': outcome,
  })
}
