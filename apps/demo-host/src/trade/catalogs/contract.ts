import { Id, Instant } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { listQuery } from '../list-query.ts'
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

/** One page of a catalog. `counts.total` is the number of items that a search finds, up to 1,000. `nextCursor` is the `cursor` of the next request, or null on the last page. */
export interface CatalogItemPage {
  readonly items: readonly CatalogItem[]
  readonly nextCursor: string | null
  readonly counts?: { readonly total: number }
}

export const ListCatalogItemsQuery = listQuery(['name'])

/** Returns the request and response schemas of one catalog. */
export function catalogShapes(type: CatalogType) {
  const body = v.object({ name: text(200), fields: v.optional(type.fields, {}) })
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
    page: v.object({
      items: v.array(item),
      nextCursor: v.nullable(v.string()),
      counts: v.optional(v.object({ total: v.number() })),
    }),
    body,
    creation: v.object({
      ...body.entries,
      /** Identifies the creation among those of the user: a repetition, for example after a lost response, returns its item. */
      creationKey: v.optional(Id),
    }),
  }
}
