import { documentType } from '@vertical-kit/document-actions'
import { customerPayment } from '../documents/document-types.ts'
import { paymentPosting } from '../ledger/posting-rules.ts'
import { bookedLifecycle, bookedType } from './booked-lifecycle.ts'
import { ApplyPaymentPayload, applyPayment } from './commands/apply-payment.ts'
import { releasePayment } from './commands/release-payment.ts'
import { applyPaymentReasons, paymentRepostReasons } from './policy.ts'
import { loadPaymentFacts } from './queries/load-payment-facts.ts'

/** What can be done with customer payments. */
export const customerPaymentActions = documentType({
  ...bookedType(customerPayment),
  loadFacts: loadPaymentFacts,
  actions: ({ lifecycle, command }) => [
    ...lifecycle(
      bookedLifecycle({
        postingOf: paymentPosting,
        // Unposting takes the payment back from its invoice, too: how an application is corrected.
        unpostReasons: () => [],
        repostReasons: paymentRepostReasons,
        beforeUnpost: releasePayment,
      }),
    ),
    command({
      code: 'trade.apply_payment',
      label: 'Apply payment',
      // Also the words of the permission: it lets its holders know the balance of an invoice they may not open.
      description:
        'Applies an amount of the payment to an invoice and returns the open balance of the invoice.',
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
