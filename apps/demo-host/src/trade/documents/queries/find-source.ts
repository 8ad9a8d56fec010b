import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { DocumentReference } from '@vertical-kit/document-actions'

type Row = { id: string; type_code: string }

/** Returns the document from which an action created this document. Uses the index `derivations_created_key`. */
export async function findSource(
  db: Db,
  { typeCode, id }: DocumentReference,
): Promise<DocumentReference | undefined> {
  const [row] = await db.execute<Row>(sql`
    select source_id as id, source_type_code as type_code
    from document_actions.derived_documents
    where created_id = ${id}::uuid and created_type_code = ${typeCode}`)
  return row && { typeCode: row.type_code, id: row.id }
}
