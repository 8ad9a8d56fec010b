import { Id, Instant, PageLimit } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { text } from '../value-schemas.ts'
import type { CatalogType, Fields } from './catalog-types.ts'

/** A catalog item in the JSON of the API. */
export interface CatalogItem {
  readonly id: string
  readonly typeCode: string
  readonly name: string
  readonly fields: Fields
  readonly createdAtUtc: string
  readonly updatedAtUtc: string
}

/** One page of a catalog, newest first. `nextCursor` is the `cursor` of the next request, or null on the last page. */
export interface CatalogItemPage {
  readonly items: readonly CatalogItem[]
  readonly nextCursor: string | null
}

export const ListCatalogItemsQuery = v.object({ limit: PageLimit, cursor: v.optional(Id) })

/** Returns the request and response schemas of one catalog. */
export function catalogShapes(type: CatalogType) {
  const item = v.pipe(
    v.object({
      id: v.string(),
      typeCode: v.string(),
      name: v.string(),
      fields: type.fields,
      createdAtUtc: Instant,
      updatedAtUtc: Instant,
    }),
    v.metadata({ ref: type.apiName }),
  )
  return {
    item,
    page: v.object({ items: v.array(item), nextCursor: v.nullable(v.string()) }),
    body: v.object({ name: text(200), fields: v.optional(type.fields, {}) }),
  }
}
