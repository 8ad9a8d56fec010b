import type { DocumentState } from '@vertical-kit/document-actions'
import type { JournalFields, PaymentFields, SalesFields } from '../documents/fields.ts'
import { accounts, type Register, registers } from './accounts.ts'
import { centsOf, linesTotal, thousandthsOf } from './money.ts'
import type { Entry, Movement, Posting } from './posting.ts'

/** Returns the posting of an order: its total on the commitment accounts, and the ordered quantities. */
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

/** Returns the posting of an invoice: it debits receivables, credits revenue and records the sold quantities. */
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

/** Returns the posting of a payment: it debits the bank and credits customer advances until the payment is applied. */
export function paymentPosting(document: DocumentState<PaymentFields>): Posting {
  return moneyOnly(centsOf(document.payload.fields.amount), {
    debit: { account: accounts.bank },
    credit: { account: accounts.customerAdvances, openItemId: document.id },
  })
}

/** Returns the posting that applies an amount of a payment, in cents, to its invoice. */
export function applicationPosting(payment: DocumentState<PaymentFields>, cents: bigint): Posting {
  return moneyOnly(cents, {
    debit: { account: accounts.customerAdvances, openItemId: payment.id },
    credit: { account: accounts.receivables, openItemId: payment.payload.fields.invoiceId },
  })
}

/** Returns the posting that writes off an amount of an invoice, in cents. */
export function writeOffPosting(invoice: DocumentState, cents: bigint): Posting {
  return moneyOnly(cents, {
    debit: { account: accounts.badDebts },
    credit: { account: accounts.receivables, openItemId: invoice.id },
  })
}

/** Returns the posting of a journal entry: all of its entries with an amount above zero. */
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

/** Returns a debit and a credit entry with the amount, or no entries if the amount is zero. */
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

/** Returns one movement per item with the total quantity of all lines that contain the item. */
function movementsOf(lines: SalesFields['lines'], register: Register): readonly Movement[] {
  const quantities = new Map<string, bigint>()
  for (const { itemId, quantity } of lines) {
    quantities.set(itemId, (quantities.get(itemId) ?? 0n) + thousandthsOf(quantity))
  }
  return [...quantities].map(([itemId, quantity]) => ({ register, itemId, quantity }))
}
