import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { Amount, text } from '../value-schemas.ts'

/** The fields of a catalog item, as its type's schema lets them through. */
export type Fields = Readonly<Record<string, unknown>>

/** One kind of catalog item: its name in the API and in words, and the fields it has. */
export interface CatalogType {
  readonly code: string
  /** In operation ids and names of shapes. */
  readonly apiName: string
  readonly plural: string
  readonly fields: v.GenericSchema<unknown, Fields>
}

const customer: CatalogType = {
  code: 'trade.customer',
  apiName: 'Customer',
  plural: 'customers',
  fields: v.object({
    email: v.optional(text(320)),
    phone: v.optional(text(50)),
    city: v.optional(text(100)),
  }),
}

const item: CatalogType = {
  code: 'trade.item',
  apiName: 'Item',
  plural: 'items',
  fields: v.object({
    sku: v.optional(text(50)),
    unit: v.optional(text(20)),
    unitPrice: v.optional(Amount),
  }),
}

/** Every catalog of the vertical. */
export const catalogTypes: readonly CatalogType[] = [customer, item]

/** An item of a catalog as audit events and content refer to it. */
export function catalogItemReference(typeCode: string, id: string): BusinessObjectReference {
  return { kind: 'CatalogItem', typeCode, id }
}
