import { setTimeout as delay } from 'node:timers/promises'
import { type SQL, sql } from '../database/sql.ts'
import { newId } from '../new-id.ts'
import { attemptMessage, type SenderCycle, settleMs } from './attempt-message.ts'
import { type Leased, type LeasedMessage, leaseMessage } from './commands/lease-message.ts'
import { longestDue } from './destinations.ts'
import { createSlots, type Slots } from './slots.ts'

/**
 * Sends due messages until none is left and no attempt is in progress, or until the signal is aborted. While attempts wait for an
 * answer, searches for the messages of other destinations once in each poll interval.
 */
export async function sendMessages<Columns extends Record<string, unknown>>(
  cycle: SenderCycle<Columns>,
): Promise<void> {
  const { config, gather, signal, logger } = cycle
  const slots = createSlots(config.batchSize)
  const running = new Set<Promise<void>>()
  // If a failure ended the cycle, other destinations would wait until all attempts in progress have ended.
  const report = (err: unknown): void =>
    logger?.error({ err }, 'A statement of the sender failed; the next search tries again.')
  /** Leases the message that has been due for the longest time, of a destination that may take a slot. */
  const search = async () => {
    // Nobody knows how long a transaction keeps its locks, so the other destinations must not wait for it.
    const locked: string[] = []
    for (;;) {
      const leased = await leaseNext(cycle, longestDue(cycle, [...slots.full, ...locked]))
      if (leased === undefined || 'message' in leased) return leased?.message
      locked.push(leased.locked)
    }
  }
  const fill = async (): Promise<void> => {
    await gather?.()
    for (let first = await search(); first !== undefined; first = await search()) {
      const slot = runSlot(cycle, slots, first)
        .catch(report)
        .finally(() => running.delete(slot))
      running.add(slot)
    }
  }
  do {
    await fill().catch(report)
    await untilEnded(running, config.pollIntervalMs)
  } while (running.size > 0 && !signal.aborted)
  await Promise.all(running)
}

/** Sends the messages of one destination, one after the other, until none is due or others need the slot. */
async function runSlot<Columns extends Record<string, unknown>>(
  cycle: SenderCycle<Columns>,
  slots: Slots,
  first: LeasedMessage & Columns,
): Promise<void> {
  const { destination } = first
  const slot = slots.take(destination)
  const next = async () => {
    const leased = await leaseNext(cycle, sql`${destination}`)
    return leased !== undefined && 'message' in leased ? leased.message : undefined
  }
  try {
    let message: (LeasedMessage & Columns) | undefined = first
    while (message !== undefined) {
      slot.record(await attemptMessage(cycle, message))
      message = slot.isSurplus ? undefined : await next()
    }
  } finally {
    slot.free()
  }
}

/** Leases the next due message of a destination. Returns undefined if there is none, or if the host stops. */
async function leaseNext<Columns extends Record<string, unknown>>(
  cycle: SenderCycle<Columns>,
  to: SQL<string | null>,
): Promise<Exclude<Leased<Columns>, { readonly dead: unknown }> | undefined> {
  const { database, table, columns, destination, config, logFields, signal, logger } = cycle
  const leaseMs = config.deadlineMs + settleMs
  const { maxAttempts } = config
  while (!signal.aborted) {
    const leased = await database.statement((tx) =>
      leaseMessage<Columns>(tx, {
        ...{ table, columns, destination, to, leaseToken: newId(), leaseMs, maxAttempts },
      }),
    )
    if (leased === undefined || !('dead' in leased)) return leased
    const details = { message: leased.dead.id, ...logFields?.(leased.dead) }
    logger?.error(details, 'No attempt at this message was completed; it is a dead letter now.')
  }
  return undefined
}

/** Waits until all slots have ended, but not longer than one poll interval. */
async function untilEnded(running: ReadonlySet<Promise<void>>, pollIntervalMs: number): Promise<void> {
  const waiting = new AbortController()
  const polled = delay(pollIntervalMs, undefined, { signal: waiting.signal }).catch(() => {})
  await Promise.race([Promise.all(running), polled])
  waiting.abort()
}
