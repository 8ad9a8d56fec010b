/** The ledger of the bare server. It runs the same statements as the demo host, but does not check amounts. */
import type postgres from 'postgres'

interface Line {
  readonly itemId: string
  readonly quantity: number
  readonly unitPrice: string
}

/** A stored invoice. */
export interface Row {
  readonly id: string
  readonly type_code: string
  readonly number: string
  readonly display: string
  readonly status: 'Draft' | 'Posted'
  readonly version: number
  readonly payload: { readonly fields: { readonly lines: readonly Line[] } }
  readonly created_at: Date
  readonly updated_at: Date
}

/** An execution of an action, with the document before the action. */
export interface Cause {
  readonly tx: postgres.TransactionSql
  readonly before: Row
  readonly actionCode: string
  readonly executionId: string
}

/** Posts an invoice: writes the amount owed and the items sold. */
export function writePosting({ tx, before, actionCode, executionId }: Cause) {
  const { lines } = before.payload.fields
  const total = lines.reduce((sum, line) => sum + line.quantity * Number(line.unitPrice), 0).toFixed(2)
  const entries = [
    { account: '1200 Receivables', openItemId: before.id, debit: total, credit: '0.00' },
    { account: '4000 Revenue', debit: '0.00', credit: total },
  ]
  const movements = lines.map(({ itemId, quantity }) => ({
    register: 'trade.sold_items',
    itemId,
    quantity: quantity.toFixed(3),
  }))
  return tx`
    with posting as (
      insert into trade.postings (
        document_type, document_id, document_number, action_code, execution_id, total
      )
      values (
        ${before.type_code}, ${before.id}::uuid, ${before.number}, ${actionCode}, ${executionId}::uuid,
        ${total}::numeric
      )
      returning id
    ),
    entries as (
      insert into trade.posting_entries (posting_id, line, account, debit, credit, open_item_id)
      select posting.id, entry.line, entry.account, entry.debit, entry.credit, entry."openItemId"
      from posting
      cross join rows from (
        jsonb_to_recordset(${tx.json(entries)})
          as (account text, debit numeric, credit numeric, "openItemId" uuid)
      ) with ordinality as entry (account, debit, credit, "openItemId", line)
    )
    insert into trade.register_movements (posting_id, register, item_id, quantity)
    select posting.id, movement.register, movement."itemId", movement.quantity
    from posting
    cross join jsonb_to_recordset(${tx.json(movements)})
      as movement (register text, "itemId" uuid, quantity numeric)`
}

/** Reverses all postings of an invoice that are not reversed yet. */
export function reversePostings({ tx, before, actionCode, executionId }: Cause) {
  return tx`
    with reversal as (
      insert into trade.postings (
        document_type, document_id, document_number, action_code, execution_id, reverses_id, total
      )
      select
        posting.document_type, posting.document_id, posting.document_number, ${actionCode}, ${executionId}::uuid,
        posting.id, posting.total
      from trade.postings posting
      where posting.document_id = ${before.id}::uuid
        and posting.reverses_id is null
        and not exists (select from trade.postings reversal where reversal.reverses_id = posting.id)
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
    join trade.register_movements movement on movement.posting_id = reversal.reverses_id`
}
