import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { DocumentState } from '@vertical-kit/document-actions'
import type { SalesFields } from '../../documents/fields.ts'
import { centsOf, linesTotal } from '../../ledger/money.ts'
import { openAmount } from '../../ledger/queries/open-amount.ts'
import type { InvoiceFacts } from '../policy.ts'

/** Loads the facts for the actions of an invoice in one statement. */
export async function loadInvoiceFacts(db: Db, document: DocumentState<SalesFields>): Promise<InvoiceFacts> {
  const [row] = await db.execute<{ outstanding: string }>(sql`
    select ${openAmount(document.id)} as outstanding`)
  const outstanding = centsOf(row?.outstanding ?? '0.00')
  // The fields of a posted invoice cannot change, so the total of its lines is the posted amount.
  const total = document.status === 'Posted' ? linesTotal(document.payload.fields.lines) : 0n
  return { outstanding, settled: total - outstanding }
}
