import { command, documentType } from '@vertical-kit/document-actions'
import { tradeDocumentStore } from '../documents/document-store.ts'
import { customerPayment } from '../documents/document-types.ts'
import { paymentPosting } from '../ledger/posting-rules.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { bookedLifecycle } from './booked-lifecycle.ts'
import { ApplyPaymentPayload, applyPayment } from './commands/apply-payment.ts'
import { releasePayment } from './commands/release-payment.ts'
import { applyPaymentReasons, type PaymentFacts, paymentRepostReasons } from './policy.ts'
import { loadPaymentFacts } from './queries/load-payment-facts.ts'

/** What can be done with customer payments. */
export const customerPaymentActions = documentType<PaymentFacts>({
  typeCode: customerPayment.code,
  plural: customerPayment.plural,
  store: tradeDocumentStore,
  loadFacts: loadPaymentFacts,
  loadEffects,
  actions: [
    ...bookedLifecycle<PaymentFacts>({
      postingOf: paymentPosting,
      // Unposting takes the payment back from its invoice, too: how an application is corrected.
      unpostReasons: () => [],
      repostReasons: paymentRepostReasons,
      beforeUnpost: releasePayment,
    }),
    command<PaymentFacts, ApplyPaymentPayload>({
      code: 'trade.apply_payment',
      label: 'Apply payment',
      // Also the words of the permission: it lets its holders know the balance of an invoice they may not open.
      description:
        'Pays the invoice with an amount of the payment, and tells whether and how much is owed on it.',
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
