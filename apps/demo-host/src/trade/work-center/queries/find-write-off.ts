import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import {
  type DocumentRow,
  documentColumns,
  type StoredDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import { customerName } from './customer-name.ts'

/** A write-off and its invoice. */
export interface WriteOff {
  readonly invoice: StoredDocument
  readonly customerName: string
  /** The amount as a string with two decimal places. */
  readonly amount: string
}

type Row = DocumentRow & { customer_name: string; amount: string }

/** Returns the write-off of an execution. Uses the indexes `documents_pkey` and `postings_by_document`. */
export async function findWriteOff(
  db: Db,
  { invoiceId, executionId }: { readonly invoiceId: string; readonly executionId: string },
): Promise<WriteOff | undefined> {
  const [row] = await db.execute<Row>(sql`
    with posting as (
      select total from trade.postings
      where document_id = ${invoiceId}::uuid and execution_id = ${executionId}::uuid
    )
    select ${documentColumns}, ${customerName(invoiceId)} as customer_name, (select total::text from posting) as amount
    from trade.documents
    where id = ${invoiceId}::uuid and exists (select from posting)`)
  if (row === undefined) return undefined
  return { invoice: toStoredDocument(row), customerName: row.customer_name, amount: row.amount }
}
