import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** What the vertical's own actions refuse, besides what speaks against an action beforehand. */
export const TradeActionsError = defineErrors('TradeActionsError', {
  'trade.amount_too_large': refusal<{
    /** The most that can be applied: the smaller one of the other two. */
    maxAmount: string
    /** Of the payment, not used yet. */
    unappliedAmount: string
    /** Of the invoice, still owed. */
    outstandingAmount: string
  }>(409, 'The amount exceeds the rest of the payment or the open balance of the invoice.'),
})
