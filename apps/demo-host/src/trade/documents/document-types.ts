import { type BusinessObjectReference, generalJournalEntryTypeCode } from '@vertical-kit/core-audit/contract'
import type { Fields } from '@vertical-kit/document-actions'
import type * as v from 'valibot'
import { JournalFields, PaymentFields, SalesFields } from './fields.ts'

/** A reference to another object in the fields of a document. `path` is the position of the id in the request body. */
export interface Reference {
  readonly path: string
  readonly kind: 'catalog' | 'document'
  readonly typeCode: string
  readonly id: string
}

/** A key by which documents can be sorted, besides the time of creation. */
export type DocumentSortKey = 'due' | 'total'

/** An object of a document that a search uses: the customer, or the invoice that a payment pays. */
export type SearchedObject = 'customer' | 'invoice'

/** The definition of one document type: names, number series, fields and references. */
export interface DocumentType<F extends Fields = Fields> {
  readonly code: string
  readonly kind: 'Document' | 'GeneralJournalEntry'
  /** The name in the OpenAPI document, in operation ids and schema names. */
  readonly apiName: string
  readonly title: string
  readonly plural: string
  readonly numberPrefix: string
  /** The database sequence for document numbers. */
  readonly numberSequence: string
  readonly fields: v.GenericSchema<unknown, F>
  /** The keys by which lists of this type can be sorted. */
  readonly sortKeys: readonly DocumentSortKey[]
  /** The object with the other texts that a search in this type finds. */
  readonly foundBy?: SearchedObject
  referencesOf(fields: F): readonly Reference[]
}

const salesReferences = ({ customerId, lines }: SalesFields): readonly Reference[] => [
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

/** An order from a customer. */
export const salesOrder: DocumentType<SalesFields> = {
  code: 'trade.sales_order',
  kind: 'Document',
  apiName: 'SalesOrder',
  title: 'Sales order',
  plural: 'sales orders',
  numberPrefix: 'SO',
  numberSequence: 'trade.sales_order_numbers',
  fields: SalesFields,
  sortKeys: ['due', 'total'],
  foundBy: 'customer',
  referencesOf: salesReferences,
}

/** An invoice to a customer. */
export const salesInvoice: DocumentType<SalesFields> = {
  code: 'trade.sales_invoice',
  kind: 'Document',
  apiName: 'SalesInvoice',
  title: 'Sales invoice',
  plural: 'sales invoices',
  numberPrefix: 'SI',
  numberSequence: 'trade.sales_invoice_numbers',
  fields: SalesFields,
  sortKeys: ['due', 'total'],
  foundBy: 'customer',
  referencesOf: salesReferences,
}

/** A payment from a customer. */
export const customerPayment: DocumentType<PaymentFields> = {
  code: 'trade.customer_payment',
  kind: 'Document',
  apiName: 'CustomerPayment',
  title: 'Customer payment',
  plural: 'customer payments',
  numberPrefix: 'CP',
  numberSequence: 'trade.customer_payment_numbers',
  fields: PaymentFields,
  sortKeys: ['total'],
  foundBy: 'invoice',
  referencesOf: ({ invoiceId }) => [
    { path: 'fields.invoiceId', kind: 'document', typeCode: 'trade.sales_invoice', id: invoiceId },
  ],
}

/** A journal entry, which writes manual debits and credits to the books. */
export const generalJournalEntry: DocumentType<JournalFields> = {
  code: generalJournalEntryTypeCode,
  kind: 'GeneralJournalEntry',
  apiName: 'GeneralJournalEntry',
  title: 'Journal entry',
  plural: 'general journal entries',
  numberPrefix: 'GJ',
  numberSequence: 'trade.general_journal_entry_numbers',
  fields: JournalFields,
  sortKeys: ['total'],
  referencesOf: () => [],
}

/** All document types of the vertical, including journal entries. */
export const documentTypes: readonly DocumentType[] = [
  salesOrder,
  salesInvoice,
  customerPayment,
  generalJournalEntry,
]

/** Returns the reference to a document, which audit events, notes and attachments contain. */
export function documentReference({ kind, code }: DocumentType, id: string): BusinessObjectReference {
  return { kind, typeCode: code, id }
}
