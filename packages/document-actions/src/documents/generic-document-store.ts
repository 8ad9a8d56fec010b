import { sql } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { type DocumentRow, documentColumns, referenceRows, toStoredDocument } from './document-row.ts'
import type { DocumentReference, Fields, SharedDocumentStore } from './document-store.ts'

/**
 * The store for `document_actions.documents`, for verticals without their own document tables. `find` and `lock` return
 * undefined for malformed ids, so routes can pass the id of their path.
 */
export const genericDocumentStore: SharedDocumentStore = {
  async find(db, { typeCode, id }) {
    if (!isUuid(id)) return undefined
    const [row] = await db.execute<DocumentRow>(sql`
      select ${documentColumns}
      from document_actions.documents
      where id = ${id}::uuid and type_code = ${typeCode}`)
    return row === undefined ? undefined : toStoredDocument(row)
  },
  async findMany<F extends Fields>(db: Db, references: readonly DocumentReference[]) {
    const rows = await db.execute<DocumentRow>(sql`
      select ${documentColumns}
      from document_actions.documents
      where (id, type_code) in (${referenceRows(references)})`)
    return rows.map((row) => toStoredDocument<F>(row))
  },
  async lock(tx, { typeCode, id }) {
    if (!isUuid(id)) return undefined
    const [row] = await tx.execute<DocumentRow>(sql`
      select ${documentColumns}
      from document_actions.documents
      where id = ${id}::uuid and type_code = ${typeCode}
      for no key update`)
    return row === undefined ? undefined : toStoredDocument(row)
  },
  async save(tx, { id, status, version, fields }) {
    const [row] = await tx.execute<DocumentRow>(sql`
      update document_actions.documents
      set status = ${status}, version = ${version}, payload = ${JSON.stringify({ fields })}::jsonb,
        updated_at = clock_timestamp()
      where id = ${id}::uuid
      returning ${documentColumns}`)
    if (row === undefined) throw new Error('The update of a locked document returned no row')
    return toStoredDocument(row)
  },
}
