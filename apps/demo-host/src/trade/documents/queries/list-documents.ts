import type { Db } from '@vertical-kit/core-audit/database'
import { takePage } from '@vertical-kit/core-audit/http'
import {
  type DocumentRow,
  documentColumns,
  toDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import type { DocumentPage } from '../contract.ts'

export interface ListDocuments {
  readonly typeCode: string
  readonly limit: number
  /** The id of the last document on the previous page. */
  readonly cursor: string | undefined
}

/** Returns one page of a type's documents, newest first. Scans the index `documents_by_type` from the cursor. */
export async function listDocuments(db: Db, query: ListDocuments): Promise<DocumentPage> {
  const after = query.cursor === undefined ? sql`` : sql`and id < ${query.cursor}::uuid`
  const rows = await db.execute<DocumentRow>(sql`
    select ${documentColumns}
    from trade.documents
    where type_code = ${query.typeCode}
      ${after}
    order by id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return {
    items: items.map((row) => ({ ...toDocument(toStoredDocument(row)), documentVersion: row.version })),
    nextCursor: last?.id ?? null,
  }
}
