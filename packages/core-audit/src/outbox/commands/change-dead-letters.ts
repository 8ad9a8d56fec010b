import { recordAudit } from '../../audit/commands/record-audit.ts'
import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import { type DeadLetterAction, deadLetterEvent, type OutboxOperator } from '../audit.ts'
import { OutboxError } from '../errors.ts'
import { type LockedEvent, lockDeadLetters } from '../queries/lock-dead-letters.ts'

export interface ChangeDeadLetters {
  readonly eventId: string
  /** `null` selects every dead letter of the event. */
  readonly consumer: string | null
  readonly reason: string
  readonly by: OutboxOperator
}

/**
 * Makes dead letters pending again, with all attempts available, and writes an audit event. The history stays. The age of
 * these deliveries restarts. A trigger also restarts that of the deliveries that they blocked. Returns the names of the consumers.
 *
 * @throws {OutboxError} outbox.event_not_found · outbox.delivery_not_found · outbox.not_dead
 */
export function retryDeadLetters(tx: Tx, input: ChangeDeadLetters): Promise<readonly string[]> {
  return change(
    tx,
    input,
    'outbox.retried',
    sql`state = 'pending', attempts = 0, available_at = clock_timestamp()`,
  )
}

/**
 * Discards dead letters and writes an audit event. The deliveries that they blocked can then be handled, and a trigger restarts
 * their age. Returns the names of the consumers.
 *
 * @throws {OutboxError} outbox.event_not_found · outbox.delivery_not_found · outbox.not_dead
 */
export function discardDeadLetters(tx: Tx, input: ChangeDeadLetters): Promise<readonly string[]> {
  return change(tx, input, 'outbox.discarded', sql`state = 'discarded'`)
}

async function change(
  tx: Tx,
  input: ChangeDeadLetters,
  actionCode: DeadLetterAction,
  assignment: SQL,
): Promise<readonly string[]> {
  const { eventId, consumer, reason, by } = input
  const event = await lockDeadLetters(tx, eventId)
  if (event === undefined) {
    throw new OutboxError('outbox.event_not_found', { detail: `Event ${eventId} does not exist.` })
  }
  const dead = deadLettersOf(event, consumer)
  const consumers = dead.map((delivery) => delivery.consumer)
  await tx.execute(sql`
    update core_audit.outbox_deliveries
    set state_since = clock_timestamp(), ${assignment}
    where event_id = ${event.id}::uuid and consumer = any (${sql.param(consumers)}::text[])`)
  const events = dead.map((delivery) => deadLetterEvent({ actionCode, event, ...delivery, reason, by }))
  await recordAudit(tx, ...events)
  return consumers
}

function deadLettersOf(event: LockedEvent, consumer: string | null): LockedEvent['dead'] {
  const isAsked = (delivery: { readonly consumer: string }) =>
    consumer === null || delivery.consumer === consumer
  const asked = event.deliveries.filter(isAsked)
  if (asked.length === 0) {
    const detail = `Event ${event.id} has no delivery${consumer === null ? '' : ` to ${consumer}`}.`
    throw new OutboxError('outbox.delivery_not_found', { detail })
  }
  const dead = event.dead.filter(isAsked)
  if (dead.length > 0) return dead
  const states = asked.map((delivery) => `${delivery.consumer} is ${delivery.state}`).join(', ')
  throw new OutboxError('outbox.not_dead', {
    detail: `Event ${event.id} is not a dead letter: ${states}. Only a dead letter can be retried or discarded.`,
  })
}
