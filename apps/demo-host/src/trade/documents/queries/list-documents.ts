import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import { takePage } from '@vertical-kit/core-audit/http'
import {
  type DocumentRow,
  documentColumns,
  toDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import { type DocumentStatus, documentStatuses } from '@vertical-kit/document-actions/contract'
import * as v from 'valibot'
import { type KeyedRow, maxCount, planPage, type SortKey } from '../../list-query.ts'
import { CalendarDate } from '../../value-schemas.ts'
import type { DocumentCounts, DocumentPage } from '../contract.ts'
import type { DocumentSortKey, DocumentType, SearchedObject } from '../document-types.ts'
import { foundDocuments } from './found-documents.ts'

export interface ListDocuments {
  readonly type: DocumentType
  readonly limit: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  readonly q?: string | undefined
  /** The objects, besides the documents, that the search may use. */
  readonly searchable?: readonly SearchedObject[]
  readonly ids?: readonly string[] | undefined
  readonly status?: DocumentStatus | undefined
  readonly sort?: string | undefined
  readonly counts?: 'true' | undefined
}

const sortKeys: Readonly<Record<DocumentSortKey, SortKey>> = {
  due: { expression: sql`(payload #>> '{fields,dueDate}')`, sqlType: sql`text`, schema: CalendarDate },
  total: {
    expression: sql`trade.document_total(payload)`,
    sqlType: sql`numeric`,
    schema: v.pipe(v.string(), v.regex(/^\d{1,40}(\.\d{1,10})?$/)),
  },
}

/**
 * Returns one page of a type's documents. Scans a range of an index from the cursor: `documents_by_type`,
 * `documents_by_status`, `documents_by_due_date` or `documents_by_total`. A search reads all documents that it finds.
 *
 * @throws {CoreError} request.invalid for a cursor of another list
 */
export async function listDocuments(db: Db, query: ListDocuments): Promise<DocumentPage> {
  const { type, limit, cursor, q = null, ids = null, status = null, sort } = query
  const list = JSON.stringify(['documents', type.code, status, q, ids])
  const { key, after, orderBy, cursorAfter } = planPage({ list, sort, cursor }, sortKeys)
  const found = foundBy(query)
  const [rows, counts] = await Promise.all([
    db.execute<DocumentRow & KeyedRow>(sql`
      select ${documentColumns}, ${key} as order_key
      from trade.documents
      where type_code = ${type.code}
        ${found}
        ${ids === null ? sql`` : sql`and id = any(${sql.param(ids)}::uuid[])`}
        ${status === null ? sql`` : sql`and status = ${status}`}
        ${after}
      order by ${orderBy}
      limit ${limit + 1}`),
    query.counts === undefined ? null : countDocuments(db, type, found),
  ])
  const { items, last } = takePage(rows, limit)
  return {
    items: items.map((row) => ({ ...toDocument(toStoredDocument(row)), documentVersion: row.version })),
    nextCursor: last === null ? null : cursorAfter(last),
    ...(counts && { counts }),
  }
}

/** Returns the condition that a search finds a document. It begins with `and`, or is empty. */
const foundBy = ({ q, type, searchable = [] }: ListDocuments): SQL =>
  q === undefined ? sql`` : sql`and id in (${foundDocuments(type, { q, searchable })})`

/** Counts the documents with each status, each up to the limit. Scans ranges of the index `documents_by_status`. */
async function countDocuments(db: Db, { code }: DocumentType, found: SQL): Promise<DocumentCounts> {
  const counts = documentStatuses.map(
    (status) => sql`
      (
        select count(*)::int
        from (
          select
          from trade.documents
          where type_code = ${code} and status = ${status} ${found}
          limit ${maxCount}
        ) counted
      ) as ${sql.identifier(status)}`,
  )
  const [row] = await db.execute<DocumentCounts>(sql`select ${sql.join(counts, sql`, `)}`)
  return { Draft: 0, Posted: 0, MarkedForDeletion: 0, ...row }
}
