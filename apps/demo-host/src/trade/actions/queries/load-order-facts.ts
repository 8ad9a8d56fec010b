import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { DocumentReference } from '@vertical-kit/document-actions'
import { salesInvoice } from '../../documents/document-types.ts'
import type { OrderFacts } from '../policy.ts'

/** Loads the facts for the actions of an order in one statement. Uses `derivations_by_source` and `documents_pkey`. */
export async function loadOrderFacts(db: Db, { typeCode, id }: DocumentReference): Promise<OrderFacts> {
  const [row] = await db.execute<{ is_invoiced: boolean }>(sql`
    select exists (
      select
      from document_actions.derived_documents derived
      join trade.documents invoice on invoice.id = derived.created_id
      where derived.source_id = ${id}::uuid
        and derived.source_type_code = ${typeCode}
        and derived.created_type_code = ${salesInvoice.code}
    ) as is_invoiced`)
  return { isInvoiced: row?.is_invoiced ?? false }
}
