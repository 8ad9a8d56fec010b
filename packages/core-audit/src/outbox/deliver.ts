import type { Logger } from 'pino'
import type { Database, Tx } from '../database/database.ts'
import { errorType, type RunningSpan, type SpanDescription, withSpan } from '../telemetry/spans.ts'
import type { Claim } from './commands/claim-deliveries.ts'
import { completeDeliveries } from './commands/complete-deliveries.ts'
import { failDelivery } from './commands/fail-delivery.ts'
import { holdLeases } from './commands/hold-leases.ts'
import type { OutboxConsumerConfig } from './config.ts'
import { countAttempts } from './count-attempts.ts'
import { nameOf, type OutboxEvent } from './event.ts'
import { describeFailure } from './failure.ts'
import { decideOutcome } from './policy.ts'
import type { Unfinished } from './unfinished.ts'

/** The dependencies of {@link deliver}. */
export interface Delivering<Result> {
  readonly database: Database
  readonly handle: (tx: Tx, events: readonly OutboxEvent[]) => Promise<Result>
  readonly onCommitted: (result: Result, events: readonly OutboxEvent[]) => void | Promise<void>
  readonly config: Required<OutboxConsumerConfig>
  readonly random: () => number
  readonly logger: Logger | undefined
  readonly unfinished: Unfinished
}

/** The links lead to the spans that appended the events. A batch can have many, so none of them is the parent. */
const spanOf = ([first, ...others]: readonly [Claim, ...Claim[]]): SpanDescription => ({
  name: `process ${first.consumer}`,
  kind: 'consumer',
  attributes: {
    'messaging.system': 'vertical_kit_outbox',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'core_audit.outbox_events',
    'messaging.consumer.group.name': first.consumer,
    'messaging.batch.message_count': 1 + others.length,
  },
  links: [first, ...others].flatMap(({ traceparent }) => traceparent ?? []),
})

/**
 * Handles events of one claim in one transaction. If a single event fails, it records the failure. If several events fail
 * together, it records nothing and returns false: any of them can be the cause, so the caller must retry each
 * event separately. Rejects if it cannot record a failure; the next cycle records it.
 */
export function deliver<Result>(
  delivering: Delivering<Result>,
  claims: readonly [Claim, ...Claim[]],
): Promise<boolean> {
  return withSpan(
    () => spanOf(claims),
    (span) => deliverIn(span, delivering, claims),
  )
}

async function deliverIn<Result>(
  span: RunningSpan,
  delivering: Delivering<Result>,
  claims: readonly [Claim, ...Claim[]],
): Promise<boolean> {
  let committed: Committed<Result>
  try {
    committed = await handleHeld(delivering, claims)
  } catch (error) {
    span.fail(errorType(error))
    if (claims.length === 1)
      await delivering.unfinished.run(() => recordFailure(delivering, claims[0], error))
    else {
      const details = { eventCount: claims.length, err: error }
      delivering.logger?.info(details, 'Events could not be handled together; each is retried separately.')
    }
    return claims.length === 1
  }
  if (committed === null) return true
  countAttempts('completed', claims[0].consumer, committed.events.length)
  await follow(delivering, committed)
  return true
}

/** The committed result with its events, or `null` if another process has claimed the events. */
type Committed<Result> = { readonly result: Result; readonly events: readonly OutboxEvent[] } | null

function handleHeld<Result>(
  { database, handle }: Delivering<Result>,
  claims: readonly Claim[],
): Promise<Committed<Result>> {
  return database.transaction(async (tx) => {
    const held = await holdLeases(tx, claims)
    if (held.length === 0) return null
    const events = held.map(({ event }) => event)
    const result = await handle(tx, events)
    await completeDeliveries(tx, held)
    return { result, events }
  })
}

async function recordFailure<Result>(
  { database, config, random, logger }: Delivering<Result>,
  claim: Claim,
  error: unknown,
): Promise<void> {
  const failure = describeFailure(error)
  const outcome = decideOutcome({ attempt: claim.attempt, maxAttempts: config.maxAttempts }, random())
  const isRecorded = await database.statement((tx) => failDelivery(tx, { claim, outcome, failure }))
  const details = { event: nameOf(claim.event), attempt: claim.attempt, err: error }
  if (isRecorded) countAttempts(outcome.state === 'dead' ? 'dead' : 'failed', claim.consumer, 1)
  if (!isRecorded)
    logger?.warn(details, 'An attempt failed, but its failure was already recorded or its lease was lost.')
  else if (outcome.state === 'dead')
    logger?.error(details, 'The last attempt failed; the event is a dead letter now.')
  else logger?.warn({ ...details, delayMs: outcome.delayMs }, 'An attempt failed; the event will be retried.')
}

async function follow<Result>(
  { onCommitted, logger }: Delivering<Result>,
  { result, events }: NonNullable<Committed<Result>>,
): Promise<void> {
  try {
    await onCommitted(result, events)
  } catch (error) {
    const details = { events: events.map(nameOf), err: error }
    logger?.warn(details, 'onCommitted failed; its events are handled.')
  }
}
