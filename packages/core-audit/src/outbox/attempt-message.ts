import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SQL } from '../database/sql.ts'
import { isKitError } from '../errors.ts'
import type { LeasedMessage } from './commands/lease-message.ts'
import { releaseMessage } from './commands/release-message.ts'
import { settleMessage } from './commands/settle-message.ts'
import { describeFailure } from './failure.ts'
import { decideOutcome } from './policy.ts'
import type { SenderOptions } from './sender.ts'

/** One cycle of a sender. */
export interface SenderCycle<Columns extends Record<string, unknown>> extends SenderOptions<Columns> {
  readonly destination: SQL<string>
  /** Aborted when the host stops. */
  readonly signal: AbortSignal
  readonly logger: Logger | undefined
}

/**
 * `refused`: the destination answered that the message itself can never be accepted, so the destination works. `released`: the host
 * stops, so the attempt has no outcome.
 */
export type AttemptOutcome = 'succeeded' | 'failed' | 'refused' | 'released'

/**
 * How long an attempt may go on when the host stops. Most servers answer in this time: an attempt that ends before the answer
 * can cause a duplicate.
 */
const stopGraceMs = 2_000

/** Time of an attempt for its own statements, in addition to the deadline. A lease must never end before its attempt. */
export const settleMs = 60_000

/** How long an attempt tries to store its outcome. The rest of its time is for the last statement. */
const storeMs = 40_000
const storePauseMs = 500

/**
 * Sends a leased message and stores the outcome, also if the database is away for less than 40 s: otherwise, an accepted message
 * would be sent again. When the host stops, soon ends the attempt and releases the message, so that another replica sends it.
 * Rejects if the database fails for longer; the lease then expires.
 */
export async function attemptMessage<Columns extends Record<string, unknown>>(
  cycle: SenderCycle<Columns>,
  message: LeasedMessage & Columns,
): Promise<AttemptOutcome> {
  const { database, table, config, send, isFinal, logFields, signal, logger, random = Math.random } = cycle
  const deadline = { deadlineMs: config.deadlineMs, stopping: signal }
  const result = await within(deadline, (ending) => send(message, ending))
  if (result === 'stopped') {
    await database.statement((tx) => releaseMessage(tx, { table, message }))
    return 'released'
  }
  const limits = { untilMs: performance.now() + storeMs, stopping: signal }
  // Without the deadline of the attempt, and also while the database is away: the message has been accepted.
  if ('value' in result) await untilAvailable(async () => result.value.follow?.(), limits)
  const isRefused = 'error' in result && isFinal?.(result.error) === true
  const maxAttempts = isRefused ? 0 : config.maxAttempts
  const outcome =
    'value' in result
      ? { state: result.value.state }
      : decideOutcome({ attempt: message.attempt, maxAttempts }, random())
  const failure = 'value' in result ? null : describeFailure(result.error)
  const settle = () => database.statement((tx) => settleMessage(tx, { table, message, outcome, failure }))
  const isStored = await untilAvailable(settle, limits)
  const details = { message: message.id, ...logFields?.(message), attempt: message.attempt, failure }
  if (!isStored) logger?.warn(details, 'An attempt ended after its lease was lost.')
  else if (outcome.state === 'dead')
    logger?.error(details, 'The last attempt failed; the message is a dead letter now.')
  else if (failure !== null) logger?.warn(details, 'An attempt failed; the message will be sent again.')
  if (isRefused) return 'refused'
  return failure === null ? 'succeeded' : 'failed'
}

/** Repeats a statement while the database is unavailable, until a time of this process, unless the host stops. */
async function untilAvailable<T>(
  statement: () => Promise<T>,
  { untilMs, stopping }: { readonly untilMs: number; readonly stopping: AbortSignal },
): Promise<T> {
  for (;;) {
    try {
      return await statement()
    } catch (error) {
      const mayPass = isKitError(error) && error.code === 'service.unavailable' && performance.now() < untilMs
      if (!mayPass || stopping.aborted) throw error
    }
    await delay(storePauseMs, undefined, { signal: stopping }).catch(() => {})
  }
}

interface Limits {
  readonly deadlineMs: number
  readonly stopping: AbortSignal
}

/** Resolves at the deadline, and soon after the host stops, even if `work` ignores its signal. */
async function within<T>(
  { deadlineMs, stopping }: Limits,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown } | 'stopped'> {
  if (stopping.aborted) return 'stopped'
  const late = new AbortController()
  // The timer alone must not keep the process alive.
  const endLate = (): void => void setTimeout(() => late.abort(), stopGraceMs).unref()
  stopping.addEventListener('abort', endLate, { once: true })
  const ending = AbortSignal.any([AbortSignal.timeout(deadlineMs), late.signal])
  const ended = new Promise<never>((_, reject) => {
    ending.addEventListener('abort', () => reject(ending.reason), { once: true })
  })
  // Nobody waits for `ended` if `work` throws before its first await.
  ended.catch(() => {})
  try {
    return { value: await Promise.race([work(ending), ended]) }
  } catch (error) {
    return stopping.aborted ? 'stopped' : { error }
  } finally {
    stopping.removeEventListener('abort', endLate)
  }
}
