import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { isInEffect } from '../queries/in-effect.ts'
import type { Cause } from './write-posting.ts'

/**
 * Reverses all postings of a document that are in effect, in one statement. The new postings have swapped debits and
 * credits and negated quantities. Nothing is deleted. The caller must have locked the document. The constraint
 * `postings_reverses_id_key` ensures that each posting is reversed at most once.
 */
export async function reversePostings(tx: Tx, cause: Cause): Promise<void> {
  const { document, actionCode, executionId } = cause
  await tx.send(sql`
    with reversal as (
      insert into trade.postings (
        document_type, document_id, document_number, action_code, execution_id, reverses_id, total
      )
      select
        posting.document_type, posting.document_id, posting.document_number, ${actionCode}, ${executionId}::uuid,
        posting.id, posting.total
      from trade.postings posting
      where posting.document_id = ${document.id}::uuid and ${isInEffect}
      order by posting.id
      returning id, reverses_id
    ),
    entries as (
      insert into trade.posting_entries (posting_id, line, account, debit, credit, open_item_id)
      select reversal.id, entry.line, entry.account, entry.credit, entry.debit, entry.open_item_id
      from reversal
      join trade.posting_entries entry on entry.posting_id = reversal.reverses_id
    )
    insert into trade.register_movements (posting_id, register, item_id, quantity)
    select reversal.id, movement.register, movement.item_id, -movement.quantity
    from reversal
    join trade.register_movements movement on movement.posting_id = reversal.reverses_id`)
}
