import type { Logger } from 'pino'
import type { Database, Tx } from '../database/database.ts'
import type { Claim } from './commands/claim-deliveries.ts'
import { completeDeliveries } from './commands/complete-deliveries.ts'
import { failDelivery } from './commands/fail-delivery.ts'
import { holdLeases } from './commands/hold-leases.ts'
import type { OutboxConsumerConfig } from './config.ts'
import { nameOf, type OutboxEvent } from './event.ts'
import { describeFailure } from './failure.ts'
import { decideOutcome } from './policy.ts'

/** What events are handled with. */
export interface Delivering<Result> {
  readonly database: Database
  readonly handle: (tx: Tx, events: readonly OutboxEvent[]) => Promise<Result>
  readonly onCommitted: (result: Result, events: readonly OutboxEvent[]) => void | Promise<void>
  readonly config: Required<OutboxConsumerConfig>
  readonly random: () => number
  readonly logger: Logger | undefined
}

/**
 * Handles events of one claim in one transaction. Of one event a failure is recorded. Of several nothing is, and the answer
 * is false: any of them may be to blame, so each is to be tried alone. Rejects when not even a failure could be recorded.
 */
export async function deliver<Result>(
  delivering: Delivering<Result>,
  claims: readonly [Claim, ...Claim[]],
): Promise<boolean> {
  let committed: Committed<Result>
  try {
    committed = await handleHeld(delivering, claims)
  } catch (error) {
    if (claims.length === 1) await recordFailure(delivering, claims[0], error)
    else {
      const told = { eventCount: claims.length, err: error }
      delivering.logger?.info(told, 'Events could not be handled together; each is tried alone.')
    }
    return claims.length === 1
  }
  if (committed !== null) await follow(delivering, committed)
  return true
}

/** What came of handling events; `null` when they were somebody else's by then. */
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
  const told = { event: nameOf(claim.event), attempt: claim.attempt, err: error }
  if (!isRecorded) logger?.warn(told, 'An attempt failed after its lease was lost.')
  else if (outcome.state === 'dead')
    logger?.error(told, 'The last attempt failed; the event is a dead letter now.')
  else logger?.warn({ ...told, delayMs: outcome.delayMs }, 'An attempt failed; the event is tried again.')
}

async function follow<Result>(
  { onCommitted, logger }: Delivering<Result>,
  { result, events }: NonNullable<Committed<Result>>,
): Promise<void> {
  try {
    await onCommitted(result, events)
  } catch (error) {
    const told = { events: events.map(nameOf), err: error }
    logger?.warn(told, 'What was to follow events failed; the events are handled.')
  }
}
