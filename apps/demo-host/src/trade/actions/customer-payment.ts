import { documentType } from '@vertical-kit/document-actions'
import { customerPayment } from '../documents/document-types.ts'
import { paymentPosting } from '../ledger/posting-rules.ts'
import { bookedLifecycle, bookedType } from './booked-lifecycle.ts'
import { ApplyPaymentPayload, applyPayment } from './commands/apply-payment.ts'
import { releasePayment } from './commands/release-payment.ts'
import { applyPaymentReasons, paymentRepostReasons } from './policy.ts'
import { loadPaymentFacts } from './queries/load-payment-facts.ts'

/** The actions of customer payments. */
export const customerPaymentActions = documentType({
  ...bookedType(customerPayment),
  loadFacts: loadPaymentFacts,
  actions: ({ lifecycle, command }) => [
    ...lifecycle(
      bookedLifecycle({
        postingOf: paymentPosting,
        // Unposting is always possible, because it corrects an application: it also releases the amount from the invoice.
        unpostReasons: () => [],
        repostReasons: paymentRepostReasons,
        beforeUnpost: releasePayment,
      }),
    ),
    command({
      code: 'trade.apply_payment',
      label: 'Apply payment',
      // Also describes the permission: its holders learn the balance of an invoice even if they cannot view it.
      description:
        'Applies part or all of the payment to its invoice, and shows the open balance of the invoice.',
      icon: 'apply-payment',
      kind: 'Primary',
      order: 100,
      permission: 'apply_payment',
      payload: ApplyPaymentPayload,
      disabledReasons: applyPaymentReasons,
      handle: applyPayment,
    }),
  ],
})
