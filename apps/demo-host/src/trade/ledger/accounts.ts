/** The accounts that documents write to. A journal entry names its own. */
export const accounts = {
  bank: '1000 Bank',
  receivables: '1200 Receivables',
  /** What customers have paid and no invoice has used yet. */
  customerAdvances: '2100 Customer advances',
  revenue: '4000 Revenue',
  badDebts: '6900 Bad debts',
  /** Off the balance sheet: what customers have ordered, against its own counterpart. */
  orderCommitments: '9000 Order commitments',
  orderCommitmentsContra: '9900 Order commitments, contra',
} as const

/** Where quantities are counted. */
export const registers = { ordered: 'trade.ordered_items', sold: 'trade.sold_items' } as const
export type Register = (typeof registers)[keyof typeof registers]
