import { actionCompleted } from '@vertical-kit/document-actions'
import {
  createDefinitionRegistry,
  defineNotification,
  definePolicy,
  defineTask,
} from '@vertical-kit/work-center'
import * as v from 'valibot'
import { salesInvoice } from './documents.ts'

const collectPayment = defineTask({
  code: 'trade.collect_payment',
  displayName: 'Collect payment',
  category: 'Receivables',
  description: 'A posted invoice is owed.',
  roleCodes: ['trade.clerk'],
})

/** For preferences alone, as the notifications are. */
const invoiceOrder = defineTask({
  code: 'trade.invoice_order',
  displayName: 'Invoice an order',
  category: 'Sales',
  description: 'A posted order has no invoice yet.',
  roleCodes: ['trade.clerk'],
})

const invoiceSettled = defineNotification({
  code: 'trade.invoice_settled',
  displayName: 'Invoice settled',
  category: 'Receivables',
  description: 'A payment has settled an invoice.',
  severity: 'Success',
  roleCodes: ['trade.auditor'],
})

const writeOffRecorded = defineNotification({
  code: 'trade.write_off_recorded',
  displayName: 'Write-off recorded',
  category: 'Receivables',
  description: 'The amount owed on an invoice was given up.',
  severity: 'Warning',
  roleCodes: ['trade.auditor'],
  userCanDisable: false,
})

export const definitions = createDefinitionRegistry([
  collectPayment,
  invoiceOrder,
  invoiceSettled,
  writeOffRecorded,
])

/** A posted invoice is a task for every clerk. */
export const invoicePolicy = definePolicy({
  eventType: actionCompleted.type,
  data: v.object({ documentType: v.string(), documentId: v.string(), actionCode: v.string() }),
  handle(inbox, { data: { documentType, documentId, actionCode } }) {
    if (documentType !== salesInvoice || actionCode !== 'post') return
    inbox.createTask(collectPayment.code, {
      deduplicationKey: documentId,
      title: 'Collect payment',
      priority: 'High',
      source: {
        resourceKind: 'document',
        resourceCode: documentType,
        entityId: documentId,
        title: 'An invoice',
        subtitle: null,
      },
      assignedTo: { roleCode: 'trade.clerk' },
    })
  },
})
