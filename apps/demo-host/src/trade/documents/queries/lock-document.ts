import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import {
  type DocumentReference,
  type DocumentRow,
  documentColumns,
  type Fields,
  type StoredDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'

/** With `no key update`, other transactions can still add references to the document. With `update`, they must wait. */
export type LockStrength = 'update' | 'no key update'

/** Locks a document until the transaction ends. Returns its latest committed state, or undefined if it is missing. */
export async function lockDocument<F extends Fields>(
  tx: Tx,
  { typeCode, id }: DocumentReference,
  strength: LockStrength,
): Promise<StoredDocument<F> | undefined> {
  const [row] = await tx.execute<DocumentRow>(sql`
    select ${documentColumns}
    from trade.documents
    where id = ${id}::uuid and type_code = ${typeCode}
    ${strength === 'update' ? sql`for update` : sql`for no key update`}`)
  return row === undefined ? undefined : toStoredDocument(row)
}
