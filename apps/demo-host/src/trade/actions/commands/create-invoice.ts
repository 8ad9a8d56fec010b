import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionExecution, StoredDocument } from '@vertical-kit/document-actions'
import { createDraft } from '../../documents/commands/create-draft.ts'
import { salesInvoice } from '../../documents/document-types.ts'
import type { SalesFields } from '../../documents/fields.ts'

/** Creates a draft invoice from a locked order. All referenced objects exist, because the order prevents their deletion. */
export function createInvoice(tx: Tx, execution: ActionExecution<SalesFields>): Promise<StoredDocument> {
  const { document: order, actor } = execution
  const { customerId, dueDate, lines } = order.payload.fields
  return createDraft(tx, {
    id: tx.newId(),
    type: salesInvoice,
    fields: { customerId, dueDate, lines },
    actor,
    derivation: execution,
  })
}
