import type { Register } from './accounts.ts'
import { maxCents, sum } from './money.ts'

/** One line of a posting. Amounts are cents, zero or positive. */
export interface Entry {
  readonly account: string
  readonly debit: bigint
  readonly credit: bigint
  /** The document with the open amount that changes: an invoice (receivables) or payment (customer advances). */
  readonly openItemId?: string
}

/** A change to the quantity of an item in a register. */
export interface Movement {
  readonly register: Register
  readonly itemId: string
  /** The quantity in thousandths of the item's unit; always positive. */
  readonly quantity: bigint
}

/** The entries and movements that one step writes to the books, atomically. Total debits equal total credits. */
export interface Posting {
  readonly entries: readonly Entry[]
  readonly movements: readonly Movement[]
}

export const totalDebit = ({ entries }: Pick<Posting, 'entries'>): bigint =>
  sum(entries.map(({ debit }) => debit))

export const totalCredit = ({ entries }: Pick<Posting, 'entries'>): bigint =>
  sum(entries.map(({ credit }) => credit))

/** Checks that the amounts are within the limits of the books. */
export const fitsTheBooks = (posting: Posting): boolean =>
  totalDebit(posting) <= maxCents && totalCredit(posting) <= maxCents
