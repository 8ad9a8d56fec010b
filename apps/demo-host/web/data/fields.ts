import type { Document } from '@vertical-kit/ui-client'
import type { JournalFields, PaymentFields, SalesFields } from '../../src/trade/documents/fields.ts'

// The service validates the fields of each document before it stores them. This file imports only their types, because
// the validation schemas would increase the download.

/** Returns the fields of an order or an invoice. */
export const salesFieldsOf = ({ payload }: Document): SalesFields => payload.fields as SalesFields

/** Returns the fields of a payment. */
export const paymentFieldsOf = ({ payload }: Document): PaymentFields => payload.fields as PaymentFields

/** Returns the fields of a journal entry. */
export const journalFieldsOf = ({ payload }: Document): JournalFields => payload.fields as JournalFields
