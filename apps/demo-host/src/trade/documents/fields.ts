import { Id } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { Amount, CalendarDate, PositiveAmount, Quantity, text } from '../value-schemas.ts'

/** The maximum number of lines. No manual order has more, and one statement can check the references of all lines. */
const maxLines = 500

/** The fields of orders and invoices. */
export const SalesFields = v.object({
  customerId: Id,
  dueDate: CalendarDate,
  lines: v.pipe(
    v.array(v.object({ itemId: Id, quantity: Quantity, unitPrice: Amount })),
    v.minLength(1, 'expected at least one line'),
    v.maxLength(maxLines, `expected at most ${maxLines} lines`),
  ),
})
export type SalesFields = v.InferOutput<typeof SalesFields>

/** The fields of a payment: the received amount and the invoice that it pays. */
export const PaymentFields = v.object({ invoiceId: Id, amount: PositiveAmount })
export type PaymentFields = v.InferOutput<typeof PaymentFields>

/** The fields of a journal entry. Debits and credits of a draft can differ. */
export const JournalFields = v.object({
  entries: v.pipe(
    v.array(v.object({ account: text(64), debit: Amount, credit: Amount })),
    v.minLength(1, 'expected at least one line'),
    v.maxLength(maxLines, `expected at most ${maxLines} lines`),
  ),
})
export type JournalFields = v.InferOutput<typeof JournalFields>
