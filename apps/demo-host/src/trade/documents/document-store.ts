import { sql } from '@vertical-kit/core-audit'
import {
  type DocumentRow,
  documentColumns,
  type SharedDocumentStore,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import { findDocument, findDocuments } from './queries/find-document.ts'
import { lockDocument } from './queries/lock-document.ts'

/** Reads and writes the vertical's documents in the table `trade.documents`. The document actions use this store. */
export const tradeDocumentStore: SharedDocumentStore = {
  find: findDocument,
  findMany: findDocuments,
  lock: (tx, reference) => lockDocument(tx, reference, 'no key update'),
  async save(tx, { id, status, version, fields }) {
    const [row] = await tx.execute<DocumentRow>(sql`
      update trade.documents
      set status = ${status}, version = ${version}, payload = ${JSON.stringify({ fields })}::jsonb,
        updated_at = clock_timestamp()
      where id = ${id}::uuid
      returning ${documentColumns}`)
    if (row === undefined) throw new Error('The update of a locked document returned no row')
    return toStoredDocument(row)
  },
}
