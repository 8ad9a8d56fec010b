import type { Tx } from '@vertical-kit/core-audit'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import { loadOrderFacts } from '../../actions/queries/load-order-facts.ts'
import { salesOrder } from '../../documents/document-types.ts'
import { lockDocument } from '../../documents/queries/lock-document.ts'
import { customerName } from './customer-name.ts'

/** An order, and whether there is an invoice that was made of it. */
export interface OrderToInvoice {
  readonly order: StoredDocument
  readonly customerName: string
  readonly isInvoiced: boolean
}

/**
 * Locks an order until the transaction ends and returns how it stands from then on: invoices are made of it under the same
 * lock. `undefined` when it has been deleted. Three statements in one round trip.
 */
export async function lockOrder(tx: Tx, id: string): Promise<OrderToInvoice | undefined> {
  const reference = { typeCode: salesOrder.code, id }
  // Sent together, run in this order: the facts are read when the lock is held.
  const [order, { isInvoiced }, [customer]] = await Promise.all([
    lockDocument(tx, reference, 'no key update'),
    loadOrderFacts(tx, reference),
    tx.execute<{ name: string }>(sql`select ${customerName(id)} as name`),
  ])
  if (order === undefined || customer === undefined) return undefined
  return { order, customerName: customer.name, isInvoiced }
}
