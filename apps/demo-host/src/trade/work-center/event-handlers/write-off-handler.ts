import { actionCompleted } from '@vertical-kit/document-actions'
import { on } from '@vertical-kit/work-center'
import { salesInvoice } from '../../documents/document-types.ts'
import { aboutDocument } from '../about-document.ts'
import { writeOffRecorded } from '../definitions.ts'
import { findWriteOff } from '../queries/find-write-off.ts'

/** Notifies auditors of every write-off. The reason appears only in the timeline of the invoice. */
export const writeOffHandler = on(actionCompleted, async (inbox, { data, causationId: executionId }, tx) => {
  const { documentType, documentId: invoiceId, actionCode } = data
  if (documentType !== salesInvoice.code || actionCode !== 'trade.write_off') return
  const writeOff = executionId === null ? undefined : await findWriteOff(tx, { invoiceId, executionId })
  if (executionId === null || writeOff === undefined) throw new Error('The write-off has no posting')
  const { invoice, customerName, amount } = writeOff
  inbox.createNotification(writeOffRecorded, {
    ...aboutDocument(invoice, customerName),
    deduplicationKey: executionId,
    title: `${amount} of invoice ${invoice.number} written off`,
    titleText: { key: 'trade.write_off_recorded.title', parameters: { amount, number: invoice.number } },
    description: `Customer: ${customerName}. The timeline of the invoice shows the author and the reason.`,
  })
})
