import type { Register } from './accounts.ts'
import { maxCents, sum } from './money.ts'

/** One line of a posting. Amounts are in cents, and zero or positive. */
export interface Entry {
  readonly account: string
  readonly debit: bigint
  readonly credit: bigint
  /** The id of the document with the changed open amount: an invoice (receivables) or a payment (customer advances). */
  readonly openItemId?: string
}

/** A change to the quantity of an item in a register. */
export interface Movement {
  readonly register: Register
  readonly itemId: string
  /** The quantity in thousandths of the item's unit. It is always positive. */
  readonly quantity: bigint
}

/** The entries and movements that one step writes to the books atomically. The totals of debits and credits are equal. */
export interface Posting {
  readonly entries: readonly Entry[]
  readonly movements: readonly Movement[]
}

export const totalDebit = ({ entries }: Pick<Posting, 'entries'>): bigint =>
  sum(entries.map(({ debit }) => debit))

export const totalCredit = ({ entries }: Pick<Posting, 'entries'>): bigint =>
  sum(entries.map(({ credit }) => credit))

/** Checks whether the total debit and the total credit are at most {@link maxCents}. */
export const fitsTheBooks = (posting: Posting): boolean =>
  totalDebit(posting) <= maxCents && totalCredit(posting) <= maxCents
