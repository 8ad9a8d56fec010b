import type { Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { type DocumentRow, documentColumns } from '../document-row.ts'
import { DocumentsError } from '../errors.ts'

export interface LockDocument {
  readonly typeCode: string
  readonly id: string
  /** `no key update` leaves room for documents that are about to name this one, `update` does not. */
  readonly strength: 'update' | 'no key update'
}

/**
 * Locks a document until the transaction ends and returns it as the last writer left it.
 * @throws {DocumentsError} documents.not_found
 */
export async function lockDocument(tx: Tx, { typeCode, id, strength }: LockDocument): Promise<DocumentRow> {
  const [row] = await tx.execute<DocumentRow>(sql`
    select ${documentColumns}
    from trade.documents
    where id = ${id}::uuid and type_code = ${typeCode}
    ${strength === 'update' ? sql`for update` : sql`for no key update`}`)
  if (row === undefined) throw new DocumentsError('documents.not_found')
  return row
}
