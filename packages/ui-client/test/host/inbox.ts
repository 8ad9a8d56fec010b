import { actionCompleted } from '@vertical-kit/document-actions'
import { defineNotification, defineTask, on } from '@vertical-kit/work-center'
import { salesInvoice } from './documents.ts'

const collectPayment = defineTask({
  code: 'trade.collect_payment',
  displayName: 'Collect payment',
  category: 'Receivables',
  description: 'A posted invoice is owed.',
  roleCodes: ['trade.clerk'],
})

/** Only tests of preferences use this task and the notifications. */
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
  description: 'A payment settled an invoice.',
  severity: 'Success',
  roleCodes: ['trade.auditor'],
})

const writeOffRecorded = defineNotification({
  code: 'trade.write_off_recorded',
  displayName: 'Write-off recorded',
  category: 'Receivables',
  description: 'The amount owed on an invoice was written off.',
  severity: 'Warning',
  roleCodes: ['trade.auditor'],
  userCanDisable: false,
})

export const definitions = [collectPayment, invoiceOrder, invoiceSettled, writeOffRecorded]

/** Creates a task for the clerks when an invoice is posted. */
export const invoiceHandler = on(
  actionCompleted,
  (inbox, { data: { documentType, documentId, actionCode } }) => {
    if (documentType !== salesInvoice || actionCode !== 'post') return
    inbox.sync(collectPayment, documentId, {
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
)
