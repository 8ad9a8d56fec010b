import { recordAudit } from '../../audit/commands/record-audit.ts'
import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { type OutboxOperator, unregisteredEvent } from '../audit.ts'
import { OutboxError } from '../errors.ts'

export interface UnregisterConsumer {
  readonly consumer: string
  readonly reason: string
  readonly by: OutboxOperator
}

/**
 * Removes a consumer: discards its unfinished deliveries, also dead letters, and writes an audit event. New events get no
 * delivery for it. Waits for transactions that have appended events. Returns the number of discarded deliveries.
 *
 * @throws {OutboxError} outbox.delivery_not_found if the consumer is not registered and has no unfinished delivery
 */
export async function unregisterConsumer(tx: Tx, input: UnregisterConsumer): Promise<number> {
  const { consumer } = input
  const [row] = await tx.execute<{ discardedCount: number | null }>(sql`
    select core_audit.unregister_outbox_consumer(${consumer})::float8 as "discardedCount"`)
  const discardedCount = row?.discardedCount ?? null
  if (discardedCount === null) {
    throw new OutboxError('outbox.delivery_not_found', { detail: `No consumer ${consumer} is registered.` })
  }
  await recordAudit(tx, unregisteredEvent({ ...input, id: tx.newId(), discardedCount }))
  return discardedCount
}
