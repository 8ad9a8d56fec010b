import type { DocumentState } from '@vertical-kit/document-actions'
import type { JournalFields, PaymentFields, SalesFields } from '../documents/fields.ts'
import { accounts, type Register, registers } from './accounts.ts'
import { centsOf, linesTotal, thousandthsOf } from './money.ts'
import type { Entry, Movement, Posting } from './posting.ts'

/** An order: what the customer committed to, off the balance sheet, and the quantities ordered. */
export function orderPosting(document: DocumentState<SalesFields>): Posting {
  const { lines } = document.payload.fields
  return {
    entries: transfer(linesTotal(lines), {
      debit: { account: accounts.orderCommitments },
      credit: { account: accounts.orderCommitmentsContra },
    }),
    movements: movementsOf(lines, registers.ordered),
  }
}

/** An invoice: receivables against revenue, and the quantities sold. */
export function invoicePosting(document: DocumentState<SalesFields>): Posting {
  const { lines } = document.payload.fields
  return {
    entries: transfer(linesTotal(lines), {
      debit: { account: accounts.receivables, openItemId: document.id },
      credit: { account: accounts.revenue },
    }),
    movements: movementsOf(lines, registers.sold),
  }
}

/** A payment that came in: bank against what is the customer's until an invoice uses it. */
export function paymentPosting(document: DocumentState<PaymentFields>): Posting {
  return moneyOnly(centsOf(document.payload.fields.amount), {
    debit: { account: accounts.bank },
    credit: { account: accounts.customerAdvances, openItemId: document.id },
  })
}

/** A part of a payment, in cents, that an invoice uses. */
export function applicationPosting(payment: DocumentState<PaymentFields>, cents: bigint): Posting {
  return moneyOnly(cents, {
    debit: { account: accounts.customerAdvances, openItemId: payment.id },
    credit: { account: accounts.receivables, openItemId: payment.payload.fields.invoiceId },
  })
}

/** What is given up of an invoice, in cents. */
export function writeOffPosting(invoice: DocumentState, cents: bigint): Posting {
  return moneyOnly(cents, {
    debit: { account: accounts.badDebts },
    credit: { account: accounts.receivables, openItemId: invoice.id },
  })
}

/** A journal entry: its own entries, without those that say nothing. */
export function journalPosting(document: DocumentState<JournalFields>): Posting {
  const entries = document.payload.fields.entries
    .map(({ account, debit, credit }) => ({
      account,
      debit: centsOf(debit),
      credit: centsOf(credit),
    }))
    .filter(({ debit, credit }) => debit > 0n || credit > 0n)
  return { entries, movements: [] }
}

type Side = Pick<Entry, 'account' | 'openItemId'>

interface Sides {
  readonly debit: Side
  readonly credit: Side
}

/** An amount from one account to another; nothing for nothing. */
const transfer = (cents: bigint, { debit, credit }: Sides): readonly Entry[] =>
  cents === 0n
    ? []
    : [
        { ...debit, debit: cents, credit: 0n },
        { ...credit, debit: 0n, credit: cents },
      ]

const moneyOnly = (cents: bigint, sides: Sides): Posting => ({
  entries: transfer(cents, sides),
  movements: [],
})

/** One movement an item, however many lines name it. */
function movementsOf(lines: SalesFields['lines'], register: Register): readonly Movement[] {
  const quantities = new Map<string, bigint>()
  for (const { itemId, quantity } of lines) {
    quantities.set(itemId, (quantities.get(itemId) ?? 0n) + thousandthsOf(quantity))
  }
  return [...quantities].map(([itemId, quantity]) => ({ register, itemId, quantity }))
}
