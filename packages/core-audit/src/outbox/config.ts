import type { EnvironmentReader } from '../host/environment.ts'

/** Options that define how a consumer handles its deliveries. */
export interface OutboxConsumerConfig {
  /** How long the loop waits when no delivery is due. */
  readonly pollIntervalMs: number
  /**
   * Maximum number of deliveries in one claim, 1–1000. If the process dies, each delivery of the claim loses one attempt.
   */
  readonly batchSize: number
  /** Number of failed attempts after which a delivery becomes a dead letter, 1–1000. */
  readonly maxAttempts: number
  /**
   * Duration of a lease; 60 s when absent. After a process dies, the events of a subject wait until its lease expires. Make
   * the lease longer than the slowest event takes, and no longer than a subject is allowed to wait.
   */
  readonly leaseMs?: number
}

const defaultLeaseMs = 60_000
/** The longest delay of a Node timer. */
const maxMs = 2 ** 31 - 1

/**
 * Validates the options and fills in the defaults.
 * @throws {TypeError} naming the option that is out of bounds
 */
export function checkConsumerConfig(config: OutboxConsumerConfig): Required<OutboxConsumerConfig> {
  const { pollIntervalMs, batchSize, maxAttempts, leaseMs = defaultLeaseMs } = config
  return {
    pollIntervalMs: whole('pollIntervalMs', pollIntervalMs, maxMs),
    batchSize: whole('batchSize', batchSize, 1_000),
    maxAttempts: whole('maxAttempts', maxAttempts, 1_000),
    leaseMs: whole('leaseMs', leaseMs, maxMs),
  }
}

/** Options of the retention of finished events. */
export interface OutboxRetentionConfig {
  /** How long a finished event is kept after the end of its last delivery, or after the append if it has no delivery. */
  readonly retentionMs: number
  /** Maximum number of events in one transaction, 1–1000; 500 when absent. */
  readonly batchSize?: number
  /** The pause between two cycles; one hour when absent. */
  readonly intervalMs?: number
}

/**
 * Validates the options and fills in the defaults.
 * @throws {TypeError} naming the option that is out of bounds
 */
export function checkRetentionConfig(config: OutboxRetentionConfig): Required<OutboxRetentionConfig> {
  const { retentionMs, batchSize = 500, intervalMs = 3_600_000 } = config
  return {
    retentionMs: whole('retentionMs', retentionMs, Number.MAX_SAFE_INTEGER),
    batchSize: whole('batchSize', batchSize, 1_000),
    intervalMs: whole('intervalMs', intervalMs, maxMs),
  }
}

/** The options of all consumers, and the retention of events. */
export interface OutboxConfig extends OutboxConsumerConfig {
  /** How long a finished event is kept after the end of its last delivery, or after the append if it has no delivery. */
  readonly retentionMs: number
}

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs

/** The result of {@link readOutboxConfig} for an empty environment. */
export const outboxDefaults: OutboxConfig = {
  pollIntervalMs: 2 * secondMs,
  batchSize: 25,
  maxAttempts: 8,
  retentionMs: 30 * dayMs,
}

/**
 * Reads `WorkCenter__OutboxPollInterval` (2 s), `WorkCenter__OutboxBatchSize` (25), `WorkCenter__OutboxMaxAttempts` (8) and
 * `WorkCenter__OutboxRetention` (30 days). The outbox was once part of the work center, and its keys keep that prefix.
 */
export function readOutboxConfig(env: EnvironmentReader): OutboxConfig {
  const { pollIntervalMs, batchSize, maxAttempts, retentionMs } = outboxDefaults
  return {
    pollIntervalMs: env.durationMs('WorkCenter__OutboxPollInterval', {
      default: pollIntervalMs,
      min: secondMs,
      max: hourMs,
    }),
    batchSize: env.integer('WorkCenter__OutboxBatchSize', { default: batchSize, min: 1, max: 1_000 }),
    maxAttempts: env.integer('WorkCenter__OutboxMaxAttempts', { default: maxAttempts, min: 1, max: 100 }),
    retentionMs: env.durationMs('WorkCenter__OutboxRetention', {
      default: retentionMs,
      min: secondMs,
      max: 3_650 * dayMs,
    }),
  }
}

function whole(name: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new TypeError(`${name}: expected a whole number from 1 to ${max}`)
}
