import { recordAudit, type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { deadLettersDiscarded } from '../audit.ts'
import { WebhooksError } from '../errors.ts'
import { requireEndpoint } from '../queries/find-endpoint.ts'

/** A selection of dead letters. */
export type DeadLetters = { readonly deliveryId: string } | { readonly endpointId: string } | 'all'

export interface DiscardDeadLetters {
  readonly letters: DeadLetters
  readonly reason: string
  readonly operator: string
}

/**
 * Gives up dead letters: they are skipped, and deleted after their retention. Writes one audit event for each endpoint. Returns
 * the number of dead letters.
 * @throws {WebhooksError} webhooks.dead_letter_not_found · webhooks.endpoint_not_found
 */
export async function discardDeadLetters(
  tx: Tx,
  { letters, reason, operator }: DiscardDeadLetters,
): Promise<number> {
  if (letters !== 'all' && 'endpointId' in letters) await requireEndpoint(tx, letters.endpointId)
  const rows = await tx.execute<{ endpoint_id: string; count: number }>(sql`
    with discarded as (
      update webhooks.deliveries
      set state = 'skipped', state_since = clock_timestamp()
      where state = 'dead' and ${selected(letters)}
      returning endpoint_id
    )
    select endpoint_id, count(*)::int as count from discarded group by endpoint_id`)
  const deliveryId = letters !== 'all' && 'deliveryId' in letters ? letters.deliveryId : undefined
  if (rows.length === 0 && deliveryId !== undefined) {
    throw new WebhooksError('webhooks.dead_letter_not_found')
  }
  const events = rows.map(({ endpoint_id: endpointId, count }) =>
    deadLettersDiscarded({ endpointId, count, deliveryId, reason, operator }),
  )
  await recordAudit(tx, ...events)
  return rows.reduce((sum, { count }) => sum + count, 0)
}

function selected(letters: DeadLetters): SQL {
  if (letters === 'all') return sql`true`
  return 'deliveryId' in letters
    ? sql`id::text = lower(${letters.deliveryId})`
    : sql`endpoint_id::text = lower(${letters.endpointId})`
}
