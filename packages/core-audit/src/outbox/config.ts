import type { EnvironmentReader } from '../host/environment.ts'

/** How a consumer works through its deliveries. */
export interface OutboxConsumerConfig {
  /** How long the loop waits once nothing is due. */
  readonly pollIntervalMs: number
  /** Deliveries of one claim, 1–1000. What a dying process holds loses one attempt. */
  readonly batchSize: number
  /** Claims of one delivery before it is a dead letter, from 1. */
  readonly maxAttempts: number
  /**
   * How long a claim holds; 60 s when absent. A process that ended is noticed after it, so let it be longer than the
   * slowest event and no longer than a subject may stand still.
   */
  readonly leaseMs?: number
}

const defaultLeaseMs = 60_000
/** A timer's longest wait. */
const maxMs = 2 ** 31 - 1

/**
 * The configuration with nothing left open.
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

/** How long events are kept that every consumer is done with. */
export interface OutboxRetentionConfig {
  /** From the end of an event's last delivery, or from its appending when there is none. */
  readonly retentionMs: number
  /** Events looked at in one transaction, 1–1000; 500 when absent. */
  readonly batchSize?: number
  /** Between two cycles; an hour when absent. */
  readonly intervalMs?: number
}

/**
 * The configuration with nothing left open.
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

/** How consumers work, and how long events are kept. */
export interface OutboxConfig extends OutboxConsumerConfig {
  /** From the end of an event's last delivery, or from its appending when there is none. */
  readonly retentionMs: number
}

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs

/** What {@link readOutboxConfig} returns for an empty environment. */
export const outboxDefaults: OutboxConfig = {
  pollIntervalMs: 2 * secondMs,
  batchSize: 25,
  maxAttempts: 8,
  retentionMs: 30 * dayMs,
}

/**
 * `WorkCenter__OutboxPollInterval` (2 s), `WorkCenter__OutboxBatchSize` (25), `WorkCenter__OutboxMaxAttempts` (8) and
 * `WorkCenter__OutboxRetention` (30 days). The names are older than the outbox as a part of its own.
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
