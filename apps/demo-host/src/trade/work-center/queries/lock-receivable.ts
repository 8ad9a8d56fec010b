import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { salesInvoiceActions } from '../../actions/sales-invoice.ts'
import type { SalesFields } from '../../documents/fields.ts'
import { centsOf } from '../../ledger/money.ts'
import { openAmount } from '../../ledger/queries/open-amount.ts'
import { customerName } from './customer-name.ts'

/** An invoice and its open balance. */
export interface Receivable {
  readonly invoice: StoredDocument<SalesFields>
  readonly customerName: string
  /** The open balance in cents. It is 0 while the invoice is not posted. */
  readonly outstanding: bigint
  /** The posting that changed the balance last, or `null` if the balance never changed. */
  readonly lastPosting: { readonly id: string; readonly actionCode: string } | null
}

type Row = {
  customer_name: string
  outstanding: string
  last_posting: Receivable['lastPosting']
}

/**
 * Locks an invoice until the transaction ends and returns its current state, or `undefined` if it was deleted. Every
 * change of the balance acquires the same lock. Sends two statements in one round trip. They use the indexes
 * `documents_pkey` and `posting_entries_by_open_item`.
 */
export async function lockReceivable(tx: Tx, id: string): Promise<Receivable | undefined> {
  const { store, typeCode } = salesInvoiceActions
  // Both statements are sent together. They run in this order, so the balance is read after the lock is acquired.
  const [invoice, [row]] = await Promise.all([
    store.lock(tx, { typeCode, id }),
    tx.execute<Row>(sql`
      select
        ${customerName(id)} as customer_name,
        ${openAmount(id)} as outstanding,
        (
          select jsonb_build_object('id', posting.id::text, 'actionCode', posting.action_code)
          from trade.posting_entries entry
          join trade.postings posting on posting.id = entry.posting_id
          where entry.open_item_id = ${id}::uuid
          order by posting.id desc
          limit 1
        ) as last_posting`),
  ])
  if (invoice === undefined || row === undefined) return undefined
  return {
    invoice,
    customerName: row.customer_name,
    outstanding: centsOf(row.outstanding),
    lastPosting: row.last_posting,
  }
}
