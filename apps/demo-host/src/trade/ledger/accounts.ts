/** The accounts that documents write to. Users enter the accounts of journal entries. */
export const accounts = {
  bank: '1000 Bank',
  receivables: '1200 Receivables',
  /** Received payments that are not applied to an invoice yet. */
  customerAdvances: '2100 Customer advances',
  revenue: '4000 Revenue',
  badDebts: '6900 Bad debts',
  /** Off the balance sheet: ordered amounts and their contra account. */
  orderCommitments: '9000 Order commitments',
  orderCommitmentsContra: '9900 Order commitments, contra',
} as const

/** The registers that count quantities. */
export const registers = { ordered: 'trade.ordered_items', sold: 'trade.sold_items' } as const
export type Register = (typeof registers)[keyof typeof registers]
