import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { type DocumentRow, documentColumns, toStoredDocument } from '../documents/document-row.ts'
import type { DocumentFields, Fields, StoredDocument } from '../documents/document-store.ts'

/** A draft to create. The id must be new; the number must be unique within the type. */
export interface CreateDocument<F extends Fields = Fields> {
  /** A lower-case UUID. */
  readonly id: string
  /** A type with the generic store. */
  readonly type: DocumentFields<F>
  /** A number that is unique within the type. The vertical assigns it. */
  readonly number: string
  /** The name that users see, such as `Lease L-000042`. */
  readonly display: string
  /** The output of the type's schema. It is not parsed again. */
  readonly fields: NoInfer<F>
}

/**
 * Creates a draft with version 1 in the generic store. The vertical checks permissions and fields, and writes the audit
 * event. A duplicate number violates the constraint `documents_number_key`.
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
