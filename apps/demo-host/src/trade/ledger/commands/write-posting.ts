import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { DocumentState } from '@vertical-kit/document-actions'
import { amountOf, quantityOf } from '../money.ts'
import { type Posting, totalDebit } from '../posting.ts'

/** The cause of a posting: the document, the action and the execution of the action. */
export interface Cause {
  readonly document: DocumentState
  readonly actionCode: string
  readonly executionId: string
}

/**
 * Writes a posting to the books in one statement. The caller must have locked the document. The database rejects
 * postings with different totals of debits and credits.
 */
export async function writePosting(tx: Tx, cause: Cause, posting: Posting): Promise<void> {
  const { document, actionCode, executionId } = cause
  const entries = posting.entries.map(({ debit, credit, ...entry }) => ({
    ...entry,
    debit: amountOf(debit),
    credit: amountOf(credit),
  }))
  const movements = posting.movements.map(({ quantity, ...movement }) => ({
    ...movement,
    quantity: quantityOf(quantity),
  }))
  await tx.send(sql`
    with posting as (
      insert into trade.postings (
        document_type, document_id, document_number, action_code, execution_id, total
      )
      values (
        ${document.typeCode}, ${document.id}::uuid, ${document.number}, ${actionCode}, ${executionId}::uuid,
        ${amountOf(totalDebit(posting))}::numeric
      )
      returning id
    ),
    entries as (
      insert into trade.posting_entries (posting_id, line, account, debit, credit, open_item_id)
      select posting.id, entry.line, entry.account, entry.debit, entry.credit, entry."openItemId"
      from posting
      cross join rows from (
        jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
          as (account text, debit numeric, credit numeric, "openItemId" uuid)
      ) with ordinality as entry (account, debit, credit, "openItemId", line)
    )
    insert into trade.register_movements (posting_id, register, item_id, quantity)
    select posting.id, movement.register, movement."itemId", movement.quantity
    from posting
    cross join jsonb_to_recordset(${JSON.stringify(movements)}::jsonb)
      as movement (register text, "itemId" uuid, quantity numeric)`)
}
