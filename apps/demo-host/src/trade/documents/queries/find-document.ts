import type { Db } from '@vertical-kit/core-audit/database'
import {
  DocumentActionsError,
  type DocumentReference,
  type DocumentRow,
  documentColumns,
  type Fields,
  type StoredDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'

/** A document of a type, as it is committed. The id of a document of another type names none. One statement. */
export async function findDocument<F extends Fields>(
  db: Db,
  { typeCode, id }: DocumentReference,
): Promise<StoredDocument<F> | undefined> {
  const [row] = await db.execute<DocumentRow>(sql`
    select ${documentColumns}
    from trade.documents
    where id = ${id}::uuid and type_code = ${typeCode}`)
  return row === undefined ? undefined : toStoredDocument(row)
}

/**
 * The document that was found.
 * @throws {DocumentActionsError} documents.not_found
 */
export async function existing<F extends Fields>(
  finding: Promise<StoredDocument<F> | undefined>,
): Promise<StoredDocument<F>> {
  const document = await finding
  if (document === undefined) throw new DocumentActionsError('documents.not_found')
  return document
}

/** Whether there is such a document: what attaching content to it asks, without reading it. */
export async function documentExists(db: Db, typeCode: string, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select from trade.documents where id = ${id}::uuid and type_code = ${typeCode}`)
  return rows.length > 0
}
