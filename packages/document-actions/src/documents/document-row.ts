import { type SQL, sql, toInstant } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Document } from '../contract.ts'
import type { documents } from '../schema.ts'
import type { DocumentReference, Fields, StoredDocument } from './document-store.ts'

/** The row that {@link documentColumns} selects. */
export type DocumentRow = RowOf<typeof documents>

/** The columns of {@link DocumentRow}. */
export const documentColumns: SQL = sql`
  id, type_code, number, display, status, version, payload, created_at, updated_at`

/** Selects references as rows of `(id, type_code)`, for a store's `findMany`: `where (id, type_code) in (…)`. */
export const referenceRows = (references: readonly DocumentReference[]): SQL => sql`
  select *
  from unnest(
    ${sql.param(references.map(({ id }) => id))}::uuid[],
    ${sql.param(references.map(({ typeCode }) => typeCode))}::text[]
  )`

/** Converts a row to a document. Does not parse the fields, so the calling code must use the right type. */
export function toStoredDocument<F extends Fields>(row: DocumentRow): StoredDocument<F> {
  return {
    id: row.id,
    typeCode: row.type_code,
    number: row.number,
    display: row.display,
    status: row.status,
    version: row.version,
    payload: row.payload as { readonly fields: F },
    createdAtUtc: toInstant(row.created_at),
    updatedAtUtc: toInstant(row.updated_at),
  }
}

/** Converts a document to its wire shape, which does not contain the version. */
export function toDocument(stored: StoredDocument): Document {
  const { id, typeCode, number, display, status, payload, createdAtUtc, updatedAtUtc } = stored
  return { id, typeCode, number, display, status, payload, createdAtUtc, updatedAtUtc }
}
