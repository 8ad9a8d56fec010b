import * as v from 'valibot'

/** The paid and the open amount of an invoice. Both are zero for a draft. */
export const InvoiceBalance = v.pipe(
  v.object({
    /** The amount of all payments that are applied to the invoice. A write-off is not a payment. */
    paidAmount: v.string(),
    outstandingAmount: v.string(),
    /** The amount of posted payments that is not applied to the invoice yet. Null if the caller may not view payments. */
    unappliedAmount: v.nullable(v.string()),
    /** The earliest payment with an unapplied amount. */
    unappliedPaymentId: v.nullable(v.string()),
  }),
  v.metadata({ ref: 'InvoiceBalance' }),
)
export type InvoiceBalance = v.InferOutput<typeof InvoiceBalance>

/** The part of a payment that is not applied yet. It is zero for a draft. */
export const PaymentBalance = v.pipe(
  v.object({
    unappliedAmount: v.string(),
    /**
     * The largest amount that can be applied: the smaller of the unapplied amount and the open balance of the invoice. Null if the
     * caller may neither apply payments nor view invoices.
     */
    applicableAmount: v.nullable(v.string()),
  }),
  v.metadata({ ref: 'PaymentBalance' }),
)
export type PaymentBalance = v.InferOutput<typeof PaymentBalance>

/** The open balance of overdue invoices, and what was received. Months are those of UTC. A due date ends in UTC−12. */
export const ReceivablesOverview = v.pipe(
  v.object({
    /** The overdue invoices by the number of days since their due date: 1–30, 31–60, and more. */
    overdue: v.array(v.object({ fromDays: v.number(), invoiceCount: v.number(), amount: v.string() })),
    /** The overdue invoices with the earliest due dates. */
    oldest: v.array(
      v.object({
        id: v.string(),
        number: v.string(),
        customerId: v.string(),
        dueDate: v.string(),
        outstandingAmount: v.string(),
      }),
    ),
    /**
     * The posted payments of the last six months, the earliest first. The month has the form `2026-12`. A payment that is posted
     * again stays in the month of its first posting.
     */
    received: v.array(v.object({ month: v.string(), amount: v.string() })),
  }),
  v.metadata({ ref: 'ReceivablesOverview' }),
)
export type ReceivablesOverview = v.InferOutput<typeof ReceivablesOverview>
