import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { Amount, text } from '../value-schemas.ts'

/** The fields of a catalog item, validated by the schema of its type. */
export type Fields = Readonly<Record<string, unknown>>

/** The definition of one catalog: the code, names and fields of its items. */
export interface CatalogType {
  readonly code: string
  /** The name in the OpenAPI document, in operation ids and schema names. */
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

/** All catalogs of the vertical. */
export const catalogTypes: readonly CatalogType[] = [customer, item]

/** Returns the reference to a catalog item, which audit events, notes and attachments contain. */
export function catalogItemReference(typeCode: string, id: string): BusinessObjectReference {
  return { kind: 'CatalogItem', typeCode, id }
}
