import { sql, toInstant } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { DocumentReference } from '@vertical-kit/document-actions'
import type { Effects } from '@vertical-kit/document-actions/contract'
import { isInEffect } from './in-effect.ts'

type PostingRow = {
  posted_at: string
  entries: readonly { account: string; debit: string; credit: string }[]
  movements: readonly { register: string; itemId: string; quantity: string }[]
}

/** Loads the effects of a document on the books, in posting order, in one statement. Drafts have no effects. */
export async function loadEffects(db: Db, { id }: DocumentReference): Promise<Effects> {
  // The statement casts amounts to text, because JSON numbers lose decimal places.
  const rows = await db.execute<PostingRow>(sql`
    select
      posting.posted_at,
      (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('account', account, 'debit', debit::text, 'credit', credit::text) order by line
          ),
          '[]'
        )
        from trade.posting_entries
        where posting_id = posting.id
      ) as entries,
      (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('register', register, 'itemId', item_id, 'quantity', quantity::text)
            order by register, item_id
          ),
          '[]'
        )
        from trade.register_movements
        where posting_id = posting.id
      ) as movements
    from trade.postings posting
    where posting.document_id = ${id}::uuid and ${isInEffect}
    order by posting.id`)
  const dated = <Line extends object>(lines: readonly Line[], { posted_at }: PostingRow) =>
    lines.map((line) => ({ ...line, postedAtUtc: toInstant(posted_at) }))
  return {
    accountingEntries: rows.flatMap((row) => dated(row.entries, row)),
    registerMovements: rows.flatMap((row) => dated(row.movements, row)),
  }
}
