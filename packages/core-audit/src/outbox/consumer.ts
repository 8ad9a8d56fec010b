import type { Database, Tx } from '../database/database.ts'
import type { HealthCheck } from '../host/health.ts'
import type { Bell, Worker } from '../host/workers.ts'
import { newId } from '../new-id.ts'
import { type ClaimDeliveries, type ClaimedBatch, claimDeliveries } from './commands/claim-deliveries.ts'
import { checkConsumerConfig, type OutboxConsumerConfig } from './config.ts'
import { nameOf, type OutboxEvent } from './event.ts'
import { outboxHealth } from './outbox-health.ts'
import { createPace } from './pace.ts'
import { type WorkThrough, workThrough } from './work-through.ts'

export interface OutboxConsumerOptions<Result = void> {
  readonly database: Database
  /** As its package registered it with `core_audit.register_outbox_consumer`. */
  readonly name: string
  /** Its entry in the health report. */
  readonly healthName: string
  /**
   * Handles events, each of another subject, in the transaction that marks them as handled: all of it commits, or none.
   * Write with `tx` alone; what leaves by another way leaves once an attempt. When it rejects, each of several events is
   * tried again by itself, in a transaction of its own, and the rejection of one alone is its failed attempt.
   */
  readonly handle: (tx: Tx, events: readonly OutboxEvent[]) => Promise<Result>
  /**
   * Gets what `handle` resolved with, once that has committed: for what others may be told only then. At most once an
   * event, as a process can end in between, so let nothing depend on it. The loop waits for it; its failure is logged
   * and changes nothing.
   */
  readonly onCommitted?: (result: Result, events: readonly OutboxEvent[]) => void | Promise<void>
  readonly config: OutboxConsumerConfig
  /**
   * Has the loop look for events now rather than with the next poll: rung in the process of the worker, after a commit that
   * appended some. A ring while the loop is at work has it look once more, however many there were. Of one loop alone.
   */
  readonly bell?: Bell
  /** From 0 up to 1, spreads retries; `Math.random` when absent. */
  readonly random?: () => number
}

/** What a module puts into its `KitModule`. */
export interface OutboxConsumer {
  readonly worker: Worker
  readonly health: HealthCheck
}

/**
 * A loop that handles every event of the outbox once in effect, events of one subject in order. Any number of replicas
 * may run it.
 *
 * A delivery is claimed (leased, attempt counted), then handled, in one transaction with others of its claim:
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
  const { database, name, healthName, handle, bell, onCommitted = () => {}, random = Math.random } = options
  const config = checkConsumerConfig(options.config)
  const common = { database, name, handle, onCommitted, random, config, pace: createPace(config.leaseMs) }
  return {
    worker: {
      name: `outbox.${name}`,
      intervalMs: config.pollIntervalMs,
      ...(bell === undefined ? {} : { bell }),
      runOnce: (signal, logger) => drain({ ...common, signal, logger }),
    },
    health: outboxHealth({ database, consumer: name, name: healthName }),
  }
}

/** One cycle of a consumer. */
interface Cycle<Result> extends WorkThrough<Result> {
  readonly name: string
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
    claimDeliveries(tx, config, { consumer: name, leaseToken: newId(), which }),
  )
  for (const event of batch.buried) {
    logger?.error(
      { event: nameOf(event), attempt: config.maxAttempts },
      'No attempt at this event came to an end; it is a dead letter now.',
    )
  }
  return batch
}
