import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The refusals of the vertical's actions, in addition to the reasons that disable an action. */
export const TradeActionsError = defineErrors('TradeActionsError', {
  'trade.amount_too_large': refusal<{
    /** The largest amount that can be applied: the smaller of the other two. */
    maxAmount: string
    /** The amount of the payment that is not applied yet. */
    unappliedAmount: string
    /** The open balance of the invoice. */
    outstandingAmount: string
  }>(409, 'The amount is greater than the unapplied part of the payment or the open balance of the invoice.'),
})
