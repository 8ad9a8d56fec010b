import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { loadOrderFacts } from '../../actions/queries/load-order-facts.ts'
import { salesOrderActions } from '../../actions/sales-order.ts'
import type { SalesFields } from '../../documents/fields.ts'
import { customerName } from './customer-name.ts'

/** An order, the name of its customer, and whether an invoice was created from the order. */
export interface OrderToInvoice {
  readonly order: StoredDocument<SalesFields>
  readonly customerName: string
  readonly isInvoiced: boolean
}

/** Returns the current state of an order, or `undefined` if it was deleted. Sends three statements in one round trip. */
export async function findOrder(db: Db, id: string): Promise<OrderToInvoice | undefined> {
  const { store, typeCode } = salesOrderActions
  const reference = { typeCode, id }
  const [order, { isInvoiced }, [customer]] = await Promise.all([
    store.find(db, reference),
    loadOrderFacts(db, reference),
    db.execute<{ name: string }>(sql`select ${customerName(id)} as name`),
  ])
  if (order === undefined || customer === undefined) return undefined
  return { order, customerName: customer.name, isInvoiced }
}
