/** The accounts of orders, invoices and payments. For journal entries, users enter the accounts. */
export const accounts = {
  bank: '1000 Bank',
  receivables: '1200 Receivables',
  /** Received payments that are not applied to an invoice yet. */
  customerAdvances: '2100 Customer advances',
  revenue: '4000 Revenue',
  badDebts: '6900 Bad debts',
  /** The accounts for ordered amounts. They are not part of the balance sheet. */
  orderCommitments: '9000 Order commitments',
  orderCommitmentsContra: '9900 Order commitments, contra',
} as const

/** The registers that count quantities. */
export const registers = { ordered: 'trade.ordered_items', sold: 'trade.sold_items' } as const
export type Register = (typeof registers)[keyof typeof registers]
