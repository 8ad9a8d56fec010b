import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { Database, Tx } from '../database/database.ts'
import type { HealthCheck } from '../health/health.ts'
import { createBell, type Worker } from '../workers.ts'
import {
  type Claim,
  type ClaimDeliveries,
  type ClaimedBatch,
  claimDeliveries,
} from './commands/claim-deliveries.ts'
import { completeDelivery } from './commands/complete-delivery.ts'
import { failDelivery } from './commands/fail-delivery.ts'
import { holdLease } from './commands/hold-lease.ts'
import { releaseClaims } from './commands/release-claims.ts'
import { checkConsumerConfig, type OutboxConsumerConfig } from './config.ts'
import type { OutboxEvent } from './event.ts'
import { describeFailure } from './failure.ts'
import { outboxHealth } from './outbox-health.ts'
import { decideFate } from './policy.ts'

export interface OutboxConsumerOptions<Result = void> {
  readonly database: Database
  /** As its package registered it with `core_audit.register_outbox_consumer`. */
  readonly name: string
  /** Its entry in the health report. */
  readonly healthName: string
  /**
   * Handles one event in the transaction that marks it as handled: all of it commits, or none. Write with `tx` alone;
   * what leaves by another way leaves once an attempt. A rejection is a failed attempt.
   */
  readonly handle: (tx: Tx, event: OutboxEvent) => Promise<Result>
  /**
   * Gets what `handle` resolved with, once that has committed: for what others may be told only then. At most once an
   * event, as a process can end in between, so let nothing depend on it. The loop waits for it; its failure is logged
   * and changes nothing.
   */
  readonly onCommitted?: (result: Result, event: OutboxEvent) => void | Promise<void>
  readonly config: OutboxConsumerConfig
  /** From 0 up to 1, spreads retries; `Math.random` when absent. */
  readonly random?: () => number
}

/** What a module puts into its `KitModule`. */
export interface OutboxConsumer {
  readonly worker: Worker
  readonly health: HealthCheck
  /**
   * Has the loop look for events now rather than with the next poll; called in the process of the worker, after a commit
   * that appended some. Costs nothing while the loop is at work: it looks once more, however often it was called.
   */
  wake(): void
}

/**
 * A loop that handles every event of the outbox once in effect, events of one subject in order. Any number of replicas
 * may run it.
 *
 * A delivery is claimed (leased, attempt counted), then handled in a transaction of its own:
 *
 *     pending ──claim──▶ leased ──handled──▶ completed
 *        ▲                 │ │ │
 *        ├─────failed──────┘ │ └─lease ran out──▶ suspect ──claimed alone──▶ leased
 *        │  waits 2^n s      │                       │
 *        │                   └──attempts used up──┬──┘
 *        └────────────retried by an operator──── dead ──discarded──▶ discarded
 *
 * @throws {TypeError} naming the option that is out of bounds
 */
export function createOutboxConsumer<Result = void>(options: OutboxConsumerOptions<Result>): OutboxConsumer {
  const { database, name, healthName, handle, onCommitted = () => {}, random = Math.random } = options
  const config = checkConsumerConfig(options.config)
  const bell = createBell()
  return {
    worker: {
      name: `outbox.${name}`,
      intervalMs: config.pollIntervalMs,
      bell,
      runOnce: (signal, logger) =>
        drain({ database, name, handle, onCommitted, config, random, signal, logger }),
    },
    health: outboxHealth({ database, consumer: name, name: healthName }),
    wake: bell.ring,
  }
}

/** One cycle of a consumer. */
interface Cycle<Result>
  extends Required<
    Pick<OutboxConsumerOptions<Result>, 'database' | 'name' | 'handle' | 'onCommitted' | 'random'>
  > {
  readonly config: Required<OutboxConsumerConfig>
  readonly signal: AbortSignal
  readonly logger: Logger | undefined
}

/**
 * Works until nothing is due. Suspects come after the fresh ones of a pass, and when passes follow each other without a
 * pause, once a poll interval: their turn comes under any load, and a busy loop need not look for them each time.
 */
async function drain<Result>(cycle: Cycle<Result>): Promise<void> {
  let suspectsDueMs = performance.now() + cycle.config.pollIntervalMs
  while (!cycle.signal.aborted) {
    const freshCount = await passOverSubjects(cycle)
    if (freshCount > 0 && performance.now() < suspectsDueMs) continue
    const suspectCount = await workThroughSuspects(cycle)
    if (freshCount + suspectCount === 0) return
    suspectsDueMs = performance.now() + cycle.config.pollIntervalMs
  }
}

/** Gives every subject one turn, so that none waits for another's backlog. Answers how many deliveries were claimed. */
async function passOverSubjects<Result>(cycle: Cycle<Result>): Promise<number> {
  let claimedCount = 0
  for (let after: string | null = ''; after !== null && !cycle.signal.aborted; ) {
    const batch: ClaimedBatch = await claim(cycle, { kind: 'fresh', after })
    await workThrough(cycle, batch.claims)
    claimedCount += batch.claims.length
    after = batch.next
  }
  return claimedCount
}

async function workThroughSuspects<Result>(cycle: Cycle<Result>): Promise<number> {
  let count = 0
  while (!cycle.signal.aborted) {
    const { claims, buried } = await claim(cycle, { kind: 'suspect' })
    if (claims.length + buried.length === 0) break
    await workThrough(cycle, claims)
    count += 1
  }
  return count
}

async function claim<Result>(cycle: Cycle<Result>, which: ClaimDeliveries['which']): Promise<ClaimedBatch> {
  const { database, name, config, logger } = cycle
  const batch = await database.statement((tx) =>
    claimDeliveries(tx, config, { consumer: name, leaseToken: uuidv7(), which }),
  )
  for (const event of batch.buried) {
    logger?.error(
      { event: nameOf(event), attempt: config.maxAttempts },
      'No attempt at this event came to an end; it is a dead letter now.',
    )
  }
  return batch
}

/** One after the other, while there is time: what cannot be begun well within the lease is given back untouched. */
async function workThrough<Result>(cycle: Cycle<Result>, claims: readonly Claim[]): Promise<void> {
  const { database, config, signal } = cycle
  const startedMs = performance.now()
  let begun = 0
  try {
    for (const claim of claims) {
      const isLate = begun > 0 && performance.now() - startedMs > config.leaseMs / 2
      if (signal.aborted || isLate) break
      begun += 1
      await deliver(cycle, claim)
    }
  } finally {
    if (begun < claims.length) await database.statement((tx) => releaseClaims(tx, claims.slice(begun)))
  }
}

/** Handles one event, or records why that failed. Rejects when not even that could be recorded. */
async function deliver<Result>(cycle: Cycle<Result>, claim: Claim): Promise<void> {
  const { database, handle } = cycle
  let committed: Committed<Result>
  try {
    committed = await database.transaction(async (tx) => {
      if (!(await holdLease(tx, claim))) return null
      const result = await handle(tx, claim.event)
      await completeDelivery(tx, claim)
      return { result }
    })
  } catch (error) {
    return recordFailure(cycle, claim, error)
  }
  if (committed !== null) await follow(cycle, claim, committed.result)
}

/** What came of handling an event; `null` when it was somebody else's by then. */
type Committed<Result> = { readonly result: Result } | null

async function recordFailure<Result>(cycle: Cycle<Result>, claim: Claim, error: unknown): Promise<void> {
  const { database, config, random, logger } = cycle
  const failure = describeFailure(error)
  const fate = decideFate({ attempt: claim.attempt, maxAttempts: config.maxAttempts }, random())
  const isRecorded = await database.statement((tx) => failDelivery(tx, { claim, fate, failure }))
  const told = { event: nameOf(claim.event), attempt: claim.attempt, err: error }
  if (!isRecorded) logger?.warn(told, 'An attempt failed after its lease was lost.')
  else if (fate.state === 'dead')
    logger?.error(told, 'The last attempt failed; the event is a dead letter now.')
  else logger?.warn({ ...told, delayMs: fate.delayMs }, 'An attempt failed; the event is tried again.')
}

async function follow<Result>(
  { onCommitted, logger }: Cycle<Result>,
  { event }: Claim,
  result: Result,
): Promise<void> {
  try {
    await onCommitted(result, event)
  } catch (error) {
    const told = { event: nameOf(event), err: error }
    logger?.warn(told, 'What was to follow an event failed; the event is handled.')
  }
}

/** Enough to find the event. Its data is not for the log. */
const nameOf = ({ id, type, subject, correlationId }: OutboxEvent) => ({ id, type, subject, correlationId })
