import {
  type BusinessObjectReference,
  generalJournalEntryTypeCode,
  Id,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import type { Fields } from '../field-changes.ts'
import { Amount, CalendarDate, PositiveAmount, Quantity, text } from '../value-schemas.ts'

/** Another object that a document's fields name. `path` is where, as in the request. */
export interface Reference {
  readonly path: string
  readonly kind: 'catalog' | 'document'
  readonly typeCode: string
  readonly id: string
}

/** One type of document: its names, its number series, its fields, and what they refer to. */
export interface DocumentType {
  readonly code: string
  readonly kind: 'Document' | 'GeneralJournalEntry'
  /** In operation ids and names of shapes. */
  readonly apiName: string
  readonly title: string
  readonly plural: string
  readonly numberPrefix: string
  /** The sequence that numbers are drawn from. */
  readonly numberSequence: string
  readonly fields: v.GenericSchema<unknown, Fields>
  referencesOf(fields: Fields): readonly Reference[]
}

/** Ties the references to the type's own fields; outside of here all types look alike. */
function documentType<S extends v.GenericSchema<unknown, Fields>>(
  definition: Omit<DocumentType, 'fields' | 'referencesOf'> & {
    readonly fields: S
    readonly references: (fields: v.InferOutput<S>) => readonly Reference[]
  },
): DocumentType {
  const { references, ...type } = definition
  return { ...type, referencesOf: (fields) => references(fields as v.InferOutput<S>) }
}

/** Enough for any order a person types, few enough to check in one statement. */
const maxLines = 500

const SalesFields = v.object({
  customerId: Id,
  dueDate: CalendarDate,
  lines: v.pipe(
    v.array(v.object({ itemId: Id, quantity: Quantity, unitPrice: Amount })),
    v.minLength(1, 'expected at least one line'),
    v.maxLength(maxLines, `expected at most ${maxLines} lines`),
  ),
})

const salesReferences = ({ customerId, lines }: v.InferOutput<typeof SalesFields>): readonly Reference[] => [
  { path: 'fields.customerId', kind: 'catalog', typeCode: 'trade.customer', id: customerId },
  ...lines.map(
    ({ itemId }, index): Reference => ({
      path: `fields.lines.${index}.itemId`,
      kind: 'catalog',
      typeCode: 'trade.item',
      id: itemId,
    }),
  ),
]

const salesOrder = documentType({
  code: 'trade.sales_order',
  kind: 'Document',
  apiName: 'SalesOrder',
  title: 'Sales order',
  plural: 'sales orders',
  numberPrefix: 'SO',
  numberSequence: 'trade.sales_order_numbers',
  fields: SalesFields,
  references: salesReferences,
})

const salesInvoice = documentType({
  code: 'trade.sales_invoice',
  kind: 'Document',
  apiName: 'SalesInvoice',
  title: 'Sales invoice',
  plural: 'sales invoices',
  numberPrefix: 'SI',
  numberSequence: 'trade.sales_invoice_numbers',
  fields: SalesFields,
  references: salesReferences,
})

const customerPayment = documentType({
  code: 'trade.customer_payment',
  kind: 'Document',
  apiName: 'CustomerPayment',
  title: 'Customer payment',
  plural: 'customer payments',
  numberPrefix: 'CP',
  numberSequence: 'trade.customer_payment_numbers',
  fields: v.object({ invoiceId: Id, amount: PositiveAmount }),
  references: ({ invoiceId }) => [
    { path: 'fields.invoiceId', kind: 'document', typeCode: 'trade.sales_invoice', id: invoiceId },
  ],
})

const generalJournalEntry = documentType({
  code: generalJournalEntryTypeCode,
  kind: 'GeneralJournalEntry',
  apiName: 'GeneralJournalEntry',
  title: 'Journal entry',
  plural: 'general journal entries',
  numberPrefix: 'GJ',
  numberSequence: 'trade.general_journal_entry_numbers',
  fields: v.object({
    entries: v.pipe(
      v.array(v.object({ account: text(64), debit: Amount, credit: Amount })),
      v.minLength(1, 'expected at least one entry'),
      v.maxLength(maxLines, `expected at most ${maxLines} entries`),
    ),
  }),
  references: () => [],
})

/** Every document type of the vertical, journal entries among them. */
export const documentTypes: readonly DocumentType[] = [
  salesOrder,
  salesInvoice,
  customerPayment,
  generalJournalEntry,
]

/** A document as audit events and content refer to it. */
export function documentReference({ kind, code }: DocumentType, id: string): BusinessObjectReference {
  return { kind, typeCode: code, id }
}
