import type { NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { DocumentState } from '@vertical-kit/document-actions'
import { documentReference, salesInvoice } from '../documents/document-types.ts'
import type { PaymentFields } from '../documents/fields.ts'
import { amountOf } from '../ledger/money.ts'

/** One execution of an action that changes the balance of an invoice through a payment. */
interface PaymentExecution {
  readonly executionId: string
  readonly document: DocumentState<PaymentFields>
  readonly actor: Actor
}

interface BalanceChange {
  readonly actionCode: 'trade.payment_applied' | 'trade.payment_released'
  /** The open balance in cents. */
  readonly before: bigint
  readonly after: bigint
}

/** Returns the audit event for the changed balance of an invoice. The event contains only the id of the payment. */
export function invoiceBalanceChanged(
  { executionId, document: payment, actor }: PaymentExecution,
  { actionCode, before, after }: BalanceChange,
): NewAuditEvent {
  return {
    module: 'trade',
    target: documentReference(salesInvoice, payment.payload.fields.invoiceId),
    actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: { executionId, paymentId: payment.id },
    changes: [{ fieldPath: 'outstanding', oldValue: amountOf(before), newValue: amountOf(after) }],
  }
}
