import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { DocumentReference } from '../documents/document-store.ts'

export interface LinkDerived {
  readonly executionId: string
  readonly actionCode: string
  readonly source: DocumentReference
  readonly created: DocumentReference
}

/** Links a derived document to its source. Verticals read the link in `document_actions.derived_documents`. */
export async function linkDerived(tx: Tx, link: LinkDerived): Promise<void> {
  const { executionId, actionCode, source, created } = link
  await tx.execute(sql`
    insert into document_actions.derivations (
      execution_id, action_code, source_type_code, source_id, created_type_code, created_id
    )
    values (
      ${executionId}::uuid, ${actionCode}, ${source.typeCode}, ${source.id}::uuid,
      ${created.typeCode}, ${created.id}::uuid
    )`)
}
