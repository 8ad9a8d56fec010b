import { sql } from '@vertical-kit/core-audit'
import { type Db, planOnce } from '@vertical-kit/core-audit/database'
import {
  DocumentActionsError,
  type DocumentReference,
  type DocumentRow,
  documentColumns,
  type Fields,
  referenceRows,
  type StoredDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import type { Creation } from '../../creation.ts'
import { DocumentsError } from '../errors.ts'

/** Loads the document with this type and id in one statement. Returns undefined if no such document exists. */
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
 * Loads the document of a creation that is repeated. Returns undefined if it has been deleted.
 * @throws {DocumentsError} documents.creation_conflict if it was created with other fields
 */
export async function findCreated(db: Db, creation: Creation): Promise<StoredDocument | undefined> {
  const [row] = await db.execute<DocumentRow & { creation_fingerprint: string | null }>(sql`
    select ${documentColumns}, creation_fingerprint
    from trade.documents
    where creation_key = ${creation.key}::uuid`)
  if (row === undefined) return undefined
  if (row.creation_fingerprint !== creation.fingerprint)
    throw new DocumentsError('documents.creation_conflict')
  return toStoredDocument(row)
}

/** Loads the documents with these references in one statement. */
export async function findDocuments<F extends Fields>(
  db: Db,
  references: readonly DocumentReference[],
): Promise<readonly StoredDocument<F>[]> {
  const rows = await db.execute<DocumentRow>(sql`
    select ${documentColumns}
    from trade.documents
    where (id, type_code) in (${referenceRows(references)})`)
  return rows.map((row) => toStoredDocument<F>(row))
}

/**
 * Waits for a query and returns its document.
 * @throws {DocumentActionsError} documents.not_found if the query returned undefined
 */
export async function existing<F extends Fields>(
  finding: Promise<StoredDocument<F> | undefined>,
): Promise<StoredDocument<F>> {
  const document = await finding
  if (document === undefined) throw new DocumentActionsError('documents.not_found')
  return document
}

/** Checks whether a document exists, without reading its fields. Content can be attached only to existing documents. */
export async function documentExists(db: Db, typeCode: string, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select from trade.documents where id = ${id}::uuid and type_code = ${typeCode}`)
  return rows.length > 0
}

/** A document with the texts that name it. */
type NamedDocument = Pick<DocumentRow, 'id' | 'type_code' | 'display'>

/** Returns the documents among these that exist, with their names, in one statement. */
export function findDocumentNames(
  db: Db,
  references: readonly DocumentReference[],
): Promise<readonly NamedDocument[]> {
  return db.execute<NamedDocument>(
    planOnce(sql`
      select id, type_code, display
      from trade.documents
      where id = any(${sql.param(references.map(({ id }) => id))}::uuid[])`),
  )
}
