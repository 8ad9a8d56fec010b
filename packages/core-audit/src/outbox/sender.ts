import { type SQL, sql } from 'drizzle-orm/sql'
import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import type { HealthCheck, HealthStatus } from '../host/health.ts'
import type { Worker } from '../host/workers.ts'
import { newId } from '../new-id.ts'
import { type LeasedMessage, leaseMessages } from './commands/lease-messages.ts'
import { pruneMessages } from './commands/prune-messages.ts'
import { settleMessage } from './commands/settle-message.ts'
import { describeFailure } from './failure.ts'
import { decideOutcome } from './policy.ts'

/** The limits of a sender. */
export interface SenderConfig {
  /** How long the loop waits when nothing is due. */
  readonly pollIntervalMs: number
  /** The longest time for one attempt. After it, the attempt has failed, even if the other server still answers later. */
  readonly deadlineMs: number
  /** The number of failed attempts after which a message becomes a dead letter. */
  readonly maxAttempts: number
  /** How many messages are sent at the same time. */
  readonly batchSize: number
  /** How long a message is stored after it was sent or skipped. */
  readonly retentionMs: number
}

export interface SenderOptions<Columns extends Record<string, unknown>> {
  readonly database: Database
  /** The name of the worker, and of the entry in the health report. */
  readonly name: string
  readonly healthName: string
  /**
   * The table of the messages, with these columns: `id uuid`, `state text` (pending, sent, skipped or dead), `state_since
   * timestamptz`, `attempts integer`, `available_at timestamptz`, `lease_token uuid`, `failure jsonb`. It needs an index of
   * `available_at` where `state = 'pending'`.
   */
  readonly table: SQL
  /** Further columns of the table that `send` receives, separated by commas. */
  readonly columns: SQL
  /** Runs before each search for messages, for example to create the messages of a digest. */
  readonly gather?: () => Promise<void>
  /** An expression for the earliest time from which `gather` has work. */
  readonly gatherAt?: SQL<string | null>
  /**
   * Sends one message. No transaction is open and no connection is held. It must stop when the signal is aborted, and its
   * errors must be safe to describe: only type, code and stack frames are stored and logged. Resolves with `skipped` if there
   * is nothing to send any more.
   */
  readonly send: (message: LeasedMessage & Columns, signal: AbortSignal) => Promise<'sent' | 'skipped'>
  readonly config: SenderConfig
  /** Returns numbers that are at least 0 and less than 1, which spread the retries; `Math.random` when absent. */
  readonly random?: () => number
}

/** Time of an attempt for its own statements, in addition to the deadline. A lease must never end before its attempt. */
const settleMs = 60_000
/** All retries of a message fit into this time. An older message is reported as a problem. */
const lateSeconds = 15 * 60

/**
 * Creates a loop that sends the messages of a table to another server: mails or webhooks. An attempt that fails is retried
 * after 2^n s, at most 15 minutes, and becomes a dead letter in the end. Any number of replicas can run the loop.
 *
 * A message is marked as sent after the other server has accepted it. If the process dies in between, the message is sent a
 * second time after its lease has expired, with the same id.
 *
 * The health check reports Degraded for dead letters, and if the oldest message has waited for 15 minutes. It never reports
 * Unhealthy: it does not help to remove a replica from service while another server is down.
 */
export function createSender<Columns extends Record<string, unknown>>(
  options: SenderOptions<Columns>,
): { readonly workers: readonly Worker[]; readonly health: HealthCheck } {
  const { database, name, healthName, table, config } = options
  return {
    workers: [
      {
        name,
        intervalMs: config.pollIntervalMs,
        dueAt: sql<string | null>`least(
          (select min(available_at) from ${table} where state = 'pending'), ${options.gatherAt ?? sql`null::timestamptz`}
        )`,
        async runOnce(signal, logger) {
          for (let count = 1; count > 0 && !signal.aborted; ) count = await sendBatch(options, logger)
        },
      },
      {
        name: `${name}-retention`,
        intervalMs: 3_600_000,
        async runOnce(signal) {
          const prune = () =>
            database.statement((tx) => pruneMessages(tx, { table, retentionMs: config.retentionMs }))
          for (let count = 1; count > 0 && !signal.aborted; ) count = await prune()
        },
      },
    ],
    health: {
      name: healthName,
      async check() {
        const summary = await summarize(database, table)
        const isLate = (summary.oldestPendingAgeSeconds ?? 0) > lateSeconds
        const status: HealthStatus = isLate || summary.failedCount > 0 ? 'Degraded' : 'Healthy'
        return { status, ...summary }
      },
    },
  }
}

async function sendBatch<Columns extends Record<string, unknown>>(
  options: SenderOptions<Columns>,
  logger: Logger | undefined,
): Promise<number> {
  const { database, table, columns, config, gather } = options
  await gather?.()
  const { leased, dead } = await database.statement((tx) =>
    leaseMessages<Columns>(tx, {
      ...{ table, columns, leaseToken: newId(), leaseMs: config.deadlineMs + settleMs },
      ...{ maxAttempts: config.maxAttempts, batchSize: config.batchSize },
    }),
  )
  for (const id of dead) {
    logger?.error({ message: id }, 'No attempt at this message was completed; it is a dead letter now.')
  }
  await Promise.all(leased.map((message) => attempt(options, message, logger)))
  return leased.length + dead.length
}

async function attempt<Columns extends Record<string, unknown>>(
  { database, table, config, send, random = Math.random }: SenderOptions<Columns>,
  message: LeasedMessage & Columns,
  logger: Logger | undefined,
): Promise<void> {
  const result = await within(config.deadlineMs, (signal) => send(message, signal))
  const outcome =
    'value' in result
      ? { state: result.value }
      : decideOutcome({ attempt: message.attempt, maxAttempts: config.maxAttempts }, random())
  const failure = 'value' in result ? null : describeFailure(result.error)
  const isStored = await database.statement((tx) => settleMessage(tx, { table, message, outcome, failure }))
  if (failure === null && isStored) return
  const details = { message: message.id, attempt: message.attempt, failure }
  if (!isStored) logger?.warn(details, 'An attempt ended after its lease was lost.')
  else if (outcome.state === 'dead')
    logger?.error(details, 'The last attempt failed; the message is a dead letter now.')
  else logger?.warn(details, 'An attempt failed; the message will be sent again.')
}

/** Resolves at the deadline even if `work` ignores its signal. */
async function within<T>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const late = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
  })
  try {
    return { value: await Promise.race([work(deadline), late]) }
  } catch (error) {
    return { error }
  }
}

async function summarize(database: Database, table: SQL) {
  const [row] = await database.read((db) =>
    db.execute<{ pendingCount: number; failedCount: number; oldestPendingAgeSeconds: number | null }>(sql`
      select
        (select count(*)::int from ${table} where state = 'pending') as "pendingCount",
        (select count(*)::int from ${table} where state = 'dead') as "failedCount",
        (
          select floor(extract(epoch from statement_timestamp() - min(state_since)))::int
          from ${table}
          where state = 'pending'
        ) as "oldestPendingAgeSeconds"`),
  )
  if (row === undefined) throw new Error('The summary of messages returned no row')
  return row
}
