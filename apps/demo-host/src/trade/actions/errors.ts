import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The errors of the vertical's actions, except the reasons that disable an action. */
export const TradeActionsError = defineErrors('TradeActionsError', {
  'trade.amount_too_large': refusal<{
    /** The largest amount that can be applied: the smaller of `unappliedAmount` and `outstandingAmount`. */
    maxAmount: string
    /** The part of the payment that is not applied to an invoice yet. */
    unappliedAmount: string
    /** The open balance of the invoice. */
    outstandingAmount: string
  }>(409, 'The amount must not exceed the unapplied part of the payment or the open balance of the invoice.'),
})
