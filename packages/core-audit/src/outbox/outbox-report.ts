import { summarizeFailure } from './failure.ts'
import type { Attempt, EventHistory } from './queries/find-event-history.ts'
import type { DeadLetter } from './queries/list-dead-letters.ts'
import type { OutboxSummary } from './queries/summarize-outbox.ts'

/** Formats a dead letter as lines for a terminal. */
export function describeDeadLetter(letter: DeadLetter): readonly string[] {
  const { eventId, consumer, type, subject, attempts, deadSinceUtc, heldBackCount, lastFailure } = letter
  return [
    `${eventId}  ${consumer}  dead since ${deadSinceUtc} after ${count(attempts, 'attempt')}, holds back ${heldBackCount}`,
    `  ${type}  ${subject}`,
    `  ${lastFailure === null ? abandoned : summarizeFailure(lastFailure)}`,
  ].map(plain)
}

/** Formats the remaining work of a consumer as one line. */
export function describeSummary(summary: OutboxSummary): string {
  const { consumer, pendingCount, deadCount, oldestPendingAgeSeconds: age } = summary
  return plain(
    `${consumer}: ${pendingCount} pending${age === null ? '' : `, the oldest for ${age} s`}; ${count(deadCount, 'dead letter')}`,
  )
}

/** Formats an event and its history as lines for a terminal. */
export function describeHistory(event: EventHistory): readonly string[] {
  const { id, type, source, subject, appendedAtUtc, correlationId, deliveries, attempts } = event
  return [
    `${id}  ${type}`,
    `  subject      ${subject}`,
    `  source       ${source}`,
    `  appended     ${appendedAtUtc}`,
    `  correlation  ${correlationId ?? 'none'}`,
    ...(deliveries.length === 0 ? ['No consumer was registered for it.'] : []),
    ...deliveries.flatMap(({ consumer, state, sinceUtc }) => [
      `${consumer}: ${state} since ${sinceUtc}`,
      ...attempts.filter((attempt) => attempt.consumer === consumer).map(describeAttempt),
    ]),
  ].map(plain)
}

const abandoned = 'its process ended, or was too slow for its lease'

function describeAttempt({ attempt, startedAtUtc, endedAtUtc, outcome, failure }: Attempt): string {
  const what = outcome === 'abandoned' ? `${outcome}: ${abandoned}` : outcome
  const why = failure === null ? '' : `: ${summarizeFailure(failure)}`
  return `  attempt ${attempt}  ${startedAtUtc} – ${endedAtUtc}  ${what}${why}`
}

/** Formats a count: `1 attempt`, `2 attempts`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Replaces control characters: stored text must not break a line or control the terminal. */
const plain = (line: string): string => line.replaceAll(/\p{Cc}+/gu, ' ')
