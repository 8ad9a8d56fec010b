import type { Register } from './accounts.ts'
import { maxCents, sum } from './money.ts'

/** One line of a posting. Amounts are cents, not negative. */
export interface Entry {
  readonly account: string
  readonly debit: bigint
  readonly credit: bigint
  /** The document whose open amount it changes: an invoice on receivables, a payment on customer advances. */
  readonly openItemId?: string
}

/** How much of an item went where. */
export interface Movement {
  readonly register: Register
  readonly itemId: string
  /** Thousandths of the item's unit, above zero. */
  readonly quantity: bigint
}

/** What one step of a document writes to the books, all or nothing. Debits and credits come to the same. */
export interface Posting {
  readonly entries: readonly Entry[]
  readonly movements: readonly Movement[]
}

export const totalDebit = ({ entries }: Pick<Posting, 'entries'>): bigint =>
  sum(entries.map(({ debit }) => debit))

export const totalCredit = ({ entries }: Pick<Posting, 'entries'>): bigint =>
  sum(entries.map(({ credit }) => credit))

/** Whether the books can hold its amounts. */
export const fitsTheBooks = (posting: Posting): boolean =>
  totalDebit(posting) <= maxCents && totalCredit(posting) <= maxCents
