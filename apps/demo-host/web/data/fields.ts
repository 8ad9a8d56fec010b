import type { Document } from '@vertical-kit/ui-client'
import type { JournalFields, PaymentFields, SalesFields } from '../../src/trade/documents/fields.ts'

// The service parses fields by their type's schema before it stores them; types alone are taken from there, so that no
// schema is sent to browsers.

/** The fields of an order or an invoice. */
export const salesFieldsOf = ({ payload }: Document): SalesFields => payload.fields as SalesFields

/** The fields of a payment. */
export const paymentFieldsOf = ({ payload }: Document): PaymentFields => payload.fields as PaymentFields

/** The fields of a journal entry. */
export const journalFieldsOf = ({ payload }: Document): JournalFields => payload.fields as JournalFields
