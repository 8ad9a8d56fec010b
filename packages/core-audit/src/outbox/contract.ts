import * as v from 'valibot'
import { codePointCount, Instant, PageLimit, StorableText, trimWhiteSpace } from '../http/contract.ts'

/** Maximum length of a reason in code points: a longer text would not fit into an audit timeline. */
export const reasonMaxChars = 1_000

/** The remaining work of one consumer. Deliveries behind a dead letter are pending, but their age does not count. */
const ConsumerSummary = v.object({
  consumer: v.string(),
  pendingCount: v.number(),
  deadCount: v.number(),
  oldestPendingAgeSeconds: v.nullable(v.number()),
})

/** The remaining work of all consumers. */
export const OutboxState = v.pipe(
  v.object({ consumers: v.array(ConsumerSummary) }),
  v.metadata({ ref: 'OutboxState' }),
)
export type OutboxState = v.InferOutput<typeof OutboxState>

/**
 * A delivery whose attempts have all failed. It never contains the data of the event. `lastError` is null if the last
 * attempt did not end: its process stopped, or was too slow for its lease.
 */
export const DeadLetter = v.pipe(
  v.object({
    eventId: v.string(),
    consumer: v.string(),
    type: v.string(),
    subject: v.string(),
    attempts: v.number(),
    deadSinceUtc: Instant,
    heldBackCount: v.number(),
    lastError: v.nullable(v.string()),
  }),
  v.metadata({ ref: 'DeadLetter' }),
)
export type DeadLetter = v.InferOutput<typeof DeadLetter>

/** A page of dead letters, oldest first. */
export const DeadLetterPage = v.pipe(
  v.object({ items: v.array(DeadLetter), nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'DeadLetterPage' }),
)
export type DeadLetterPage = v.InferOutput<typeof DeadLetterPage>

/** An event of the outbox with its deliveries and all attempts, oldest first. It never contains the data of the event. */
export const OutboxEventHistory = v.pipe(
  v.object({
    id: v.string(),
    type: v.string(),
    source: v.string(),
    subject: v.string(),
    appendedAtUtc: Instant,
    correlationId: v.nullable(v.string()),
    deliveries: v.array(v.object({ consumer: v.string(), state: v.string(), sinceUtc: Instant })),
    attempts: v.array(
      v.object({
        consumer: v.string(),
        attempt: v.number(),
        startedAtUtc: Instant,
        endedAtUtc: Instant,
        outcome: v.picklist(['completed', 'failed', 'abandoned']),
        error: v.nullable(v.string()),
      }),
    ),
  }),
  v.metadata({ ref: 'OutboxEventHistory' }),
)
export type OutboxEventHistory = v.InferOutput<typeof OutboxEventHistory>

/** The consumers whose dead letters were retried or discarded. */
export const ChangedDeadLetters = v.pipe(
  v.object({ consumers: v.array(v.string()) }),
  v.metadata({ ref: 'ChangedDeadLetters' }),
)

/** Selects a page of dead letters, of all consumers unless `consumer` is given. */
export const ListDeadLettersQuery = v.object({
  consumer: v.optional(StorableText),
  limit: PageLimit,
  cursor: v.optional(v.string()),
})

/** Selects all dead letters of an event if `consumer` is absent or null. */
export const ChangeDeadLettersBody = v.object({
  reason: v.pipe(
    StorableText,
    v.transform(trimWhiteSpace),
    v.nonEmpty('expected more than white space'),
    v.check(
      (text) => codePointCount(text) <= reasonMaxChars,
      `expected at most ${reasonMaxChars} characters`,
    ),
  ),
  consumer: v.optional(v.nullable(StorableText), null),
})
