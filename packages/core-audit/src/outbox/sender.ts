import type { Database } from '../database/database.ts'
import { type SQL, sql } from '../database/sql.ts'
import type { HealthCheck, HealthStatus } from '../host/health.ts'
import type { Worker } from '../host/workers.ts'
import type { LeasedMessage } from './commands/lease-message.ts'
import { pruneMessages } from './commands/prune-messages.ts'
import { nextMessageAt } from './destinations.ts'
import { sendMessages } from './send-messages.ts'

/** The limits of a sender. */
export interface SenderConfig {
  /** How long the loop waits when nothing is due, and how often it searches while attempts are in progress. */
  readonly pollIntervalMs: number
  /** The longest time for one attempt. After it, the attempt has failed, even if the other server still answers later. */
  readonly deadlineMs: number
  /** The number of failed attempts after which a message becomes a dead letter. */
  readonly maxAttempts: number
  /**
   * How many messages are sent at the same time. The destinations share this number equally, and each of them can send at least
   * one.
   */
  readonly batchSize: number
  /** How long a message is stored after it was sent or skipped. */
  readonly retentionMs: number
}

/** The outcome of `send` for a message. */
export interface SendOutcome {
  readonly state: 'sent' | 'skipped'
  /**
   * Stores what belongs to a sent message, before its state. Repeated while the database is away for less than 40 s, so it can run
   * more than once. If it fails otherwise, the message is sent again after its lease.
   */
  readonly follow?: () => Promise<void>
}

/** A queue of messages in a table of your own. `Columns` are the further columns that `send` receives. */
export interface SenderOptions<Columns extends Record<string, unknown>> {
  readonly database: Database
  /** The name of the worker, and of the entry in the health report. */
  readonly name: string
  readonly healthName: string
  /**
   * The table of the messages, with these columns: `id uuid`, `state text` (pending, sent, skipped or dead), `state_since
   * timestamptz`, `attempts integer`, `available_at timestamptz`, `lease_token uuid`, `failure jsonb`. It needs an index of the
   * destination and `available_at` where `state = 'pending'` (only of `available_at` if all messages have the same destination), and
   * one of `state` and `state_since` where `state <> 'pending'`.
   */
  readonly table: SQL
  /** Further columns of the table that `send` receives, separated by commas. */
  readonly columns: SQL
  /**
   * An expression of type `text` for the destination of a message: destinations do not wait for each other. By default, all
   * messages have the same destination.
   */
  readonly destination?: SQL<string>
  /** Runs at the start of each cycle and once in each poll interval, for example to create the messages of a digest. */
  readonly gather?: () => Promise<void>
  /** An expression for the earliest time from which `gather` has work. */
  readonly gatherAt?: SQL<string | null>
  /**
   * Sends one message. No transaction is open and no connection is held. It must stop when the signal is aborted: at the
   * deadline, or soon after the host stops. Its errors must be safe to describe: only type, code and stack frames are stored and
   * logged. Resolves with `skipped` if there is nothing to send any more.
   */
  readonly send: (message: LeasedMessage & Columns, signal: AbortSignal) => Promise<SendOutcome>
  /** Returns whether no further attempt can succeed after this error of `send`. The message is then a dead letter at once. */
  readonly isFinal?: (error: unknown) => boolean
  /** Returns further fields for the log of a failed attempt. They must contain no data. */
  readonly logFields?: (message: Columns) => Readonly<Record<string, unknown>>
  /** A condition: the health report ignores all other dead letters. */
  readonly reportedDead?: SQL
  readonly config: SenderConfig
  /** Returns numbers that are at least 0 and less than 1, which spread the retries; `Math.random` when absent. */
  readonly random?: () => number
}

/** The destination of all messages, if they have the same one. Its index needs only `available_at`. */
const oneDestination = sql<string>`''::text`

/** An older message is reported as a problem: another server is down, or nothing sends. */
const lateSeconds = 15 * 60

/**
 * Creates a loop that sends the messages of a table to another server: mails or webhooks. An attempt that fails is retried
 * after 2^n s, at most 15 minutes, and becomes a dead letter in the end. Any number of replicas can run the loop.
 *
 * A message is marked as sent after the other server has accepted it. If the process dies in between, the message is sent a
 * second time after its lease has expired, with the same id. A host that stops ends its attempts after two seconds, and
 * another replica sends their messages.
 *
 * The health check reports Degraded for dead letters, and if the oldest message has waited for 15 minutes. It never reports
 * Unhealthy: it does not help to remove a replica from service while another server is down.
 */
export function createSender<Columns extends Record<string, unknown>>(
  options: SenderOptions<Columns>,
): { readonly workers: readonly Worker[]; readonly health: HealthCheck } {
  const { database, name, healthName, table, destination = oneDestination, config } = options
  return {
    workers: [
      {
        name,
        intervalMs: config.pollIntervalMs,
        dueAt: sql<string | null>`least(
          ${nextMessageAt({ table, destination })}, ${options.gatherAt ?? sql`null::timestamptz`}
        )`,
        keepsTenantOpen: true,
        runOnce: (signal, logger) => sendMessages({ ...options, destination, signal, logger }),
      },
      {
        name: `${name}-retention`,
        intervalMs: 3_600_000,
        async runOnce(signal) {
          const { retentionMs } = config
          for (const state of ['sent', 'skipped'] as const) {
            const prune = () => database.statement((tx) => pruneMessages(tx, { table, state, retentionMs }))
            for (let count = 1; count > 0 && !signal.aborted; ) count = await prune()
          }
        },
      },
    ],
    health: {
      name: healthName,
      async check() {
        const summary = await summarize(options)
        const isLate = (summary.oldestPendingAgeSeconds ?? 0) > lateSeconds
        const status: HealthStatus = isLate || summary.failedCount > 0 ? 'Degraded' : 'Healthy'
        return { status, ...summary }
      },
    },
  }
}

async function summarize<Columns extends Record<string, unknown>>(options: SenderOptions<Columns>) {
  const { database, table, reportedDead = sql`true` } = options
  const [row] = await database.read((db) =>
    db.execute<{ pendingCount: number; failedCount: number; oldestPendingAgeSeconds: number | null }>(sql`
      select
        (select count(*)::int from ${table} where state = 'pending') as "pendingCount",
        (select count(*)::int from ${table} where state = 'dead' and ${reportedDead}) as "failedCount",
        (
          select floor(extract(epoch from statement_timestamp() - min(state_since)))::int
          from ${table}
          where state = 'pending'
        ) as "oldestPendingAgeSeconds"`),
  )
  if (row === undefined) throw new Error('The summary of messages returned no row')
  return row
}
