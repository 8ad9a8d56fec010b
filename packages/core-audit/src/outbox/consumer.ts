import type { Database, Tx } from '../database/database.ts'
import type { HealthCheck } from '../host/health.ts'
import type { Bell, Worker } from '../host/workers.ts'
import { newId } from '../new-id.ts'
import {
  type ClaimDeliveries,
  type ClaimedBatch,
  claimDeliveries,
  nextDeliveryAt,
} from './commands/claim-deliveries.ts'
import { releaseLease } from './commands/release-lease.ts'
import { checkConsumerConfig, type OutboxConsumerConfig } from './config.ts'
import { countAttempts } from './count-attempts.ts'
import { nameOf, type OutboxEvent } from './event.ts'
import { outboxHealth } from './outbox-health.ts'
import { createPace } from './pace.ts'
import { createUnfinished } from './unfinished.ts'
import { type WorkThrough, workThrough } from './work-through.ts'

export interface OutboxConsumerOptions<Result = void> {
  readonly database: Database
  /** The name with which `core_audit.register_outbox_consumer` registered the consumer. */
  readonly name: string
  /** The name of the consumer's entry in the health report. */
  readonly healthName: string
  /**
   * Handles events with different subjects in one transaction. This transaction also marks the events as handled, so
   * everything commits or nothing commits. Write only with `tx`; other side effects can occur once for each attempt. When a
   * call with several events rejects, each event is retried in its own transaction. Only the rejection of a call with a
   * single event counts as a failed attempt.
   */
  readonly handle: (tx: Tx, events: readonly OutboxEvent[]) => Promise<Result>
  /**
   * Receives the result of `handle` after the commit, for example to notify users. Runs at most once for each event. Do not
   * depend on it, because the process can end before the call. The loop waits for the call; a failure is only logged.
   */
  readonly onCommitted?: (result: Result, events: readonly OutboxEvent[]) => void | Promise<void>
  readonly config: OutboxConsumerConfig
  /**
   * Starts a cycle before the next poll. Ring it in the worker's process after a commit that appended events. If it rings
   * during a cycle, one more cycle follows. A bell serves only one loop.
   */
  readonly bell?: Bell
  /** Returns numbers that are at least 0 and less than 1, which spread the retries; `Math.random` when absent. */
  readonly random?: () => number
}

/** The parts of a consumer that a module adds to its `KitModule`. */
export interface OutboxConsumer {
  readonly worker: Worker
  readonly health: HealthCheck
}

/**
 * Creates a loop that handles every event of the outbox. The writes for an event commit exactly once, and events of one
 * subject are handled in order. Any number of replicas can run the loop.
 *
 * A claim leases deliveries and counts an attempt for each. Deliveries of one claim are then handled in one transaction:
 *
 *     pending ──claim──▶ leased ──handled──▶ completed
 *        ▲                 │ │ │
 *        ├─────failed──────┘ │ └─lease ran out──▶ suspect ──claimed singly─▶ leased
 *        │  waits 2^n s      │                       │
 *        │                   └──attempts used up──┬──┘
 *        └────────────retried by an operator──── dead ──discarded──▶ discarded
 *
 * @throws {TypeError} naming the option that is out of bounds
 */
export function createOutboxConsumer<Result = void>(options: OutboxConsumerOptions<Result>): OutboxConsumer {
  const { database, name, healthName, handle, bell, onCommitted = () => {}, random = Math.random } = options
  const config = checkConsumerConfig(options.config)
  const common = {
    ...{ database, name, handle, onCommitted, random, config },
    ...{ pace: createPace(config.leaseMs), unfinished: createUnfinished() },
  }
  return {
    worker: {
      name: `outbox.${name}`,
      intervalMs: config.pollIntervalMs,
      dueAt: nextDeliveryAt(name),
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
 * Works until no delivery is due. Each pass handles fresh deliveries, then suspects: deliveries with an expired lease. If
 * one pass follows another without a pause, suspects are handled only once in each poll interval: not every pass has to
 * search for them, and they wait for at most one pass longer.
 */
async function drain<Result>(cycle: Cycle<Result>): Promise<void> {
  await cycle.unfinished.resume()
  let suspectsDueMs = performance.now() + cycle.config.pollIntervalMs
  while (!cycle.signal.aborted) {
    const freshCount = await passOverSubjects(cycle)
    if (freshCount > 0 && performance.now() < suspectsDueMs) continue
    const suspectCount = await workThroughSuspects(cycle)
    if (freshCount + suspectCount === 0) return
    suspectsDueMs = performance.now() + cycle.config.pollIntervalMs
  }
}

/**
 * Handles one delivery of each subject, so that no subject waits for the backlog of another. Returns the number of claims.
 */
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
  const { database, name, config, logger, unfinished } = cycle
  const lease = { consumer: name, leaseToken: newId() }
  const batch = await unfinished.run(
    () => database.statement((tx) => claimDeliveries(tx, config, { ...lease, which })),
    // The database can have made a claim whose answer was lost.
    () => database.statement((tx) => releaseLease(tx, lease)),
  )
  if (batch.buried.length > 0) countAttempts('dead', name, batch.buried.length)
  for (const event of batch.buried) {
    logger?.error(
      { event: nameOf(event), attempt: config.maxAttempts },
      'No attempt at this event was completed; it is a dead letter now.',
    )
  }
  return batch
}
