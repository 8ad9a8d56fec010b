import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { type DocumentRow, documentColumns, toStoredDocument } from '../documents/document-row.ts'
import type { DocumentFields, Fields, StoredDocument } from '../documents/document-store.ts'

export interface CreateDocument<F extends Fields = Fields> {
  /** A UUID in lower case. */
  readonly id: string
  /** A type over the generic store. */
  readonly type: DocumentFields<F>
  /** Unique within the type; drawn by the vertical. */
  readonly number: string
  /** What people call it: `Lease L-000042`. */
  readonly display: string
  /** What the type's schema makes of them; not parsed again. */
  readonly fields: NoInfer<F>
}

/**
 * Makes a draft at version 1 in the generic store. Who may, what its fields may be, and its audit event are the
 * vertical's. Rejects with the constraint `documents_number_key` when the number is taken.
 */
export async function createDocument<F extends Fields>(
  tx: Tx,
  input: CreateDocument<F>,
): Promise<StoredDocument<F>> {
  const { id, type, number, display, fields } = input
  const [row] = await tx.execute<DocumentRow>(sql`
    insert into document_actions.documents (id, type_code, number, display, payload)
    values (${id}::uuid, ${type.typeCode}, ${number}, ${display}, ${JSON.stringify({ fields })}::jsonb)
    returning ${documentColumns}`)
  if (row === undefined) throw new Error('The insert of a document returned no row')
  return toStoredDocument(row)
}
