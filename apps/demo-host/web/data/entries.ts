import type { Document, Page } from '@vertical-kit/ui-client'
import { createPagedList, type PagedList, type Session } from '@vertical-kit/ui-client/stores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { endpointOf, type ListDefinition } from '../lists.ts'

/** An entry of a list: a document, or an item of a catalog. Only documents of a list have a version. */
export type Entry = (Document & { readonly documentVersion?: number }) | CatalogItem

/** The entries of one list, newest first. They are loaded page by page, and all views of a session share them. */
export type Entries = Pick<PagedList<Entry>, '$list' | 'load' | 'loadMore'>

/** Opens a list that ends with its session. */
export function openEntries<T extends Entry = Entry>(
  { client, signal }: Session,
  list: ListDefinition,
  pageSize = 30,
): PagedList<T> {
  return createPagedList<T>({
    signal,
    pageSize,
    fetchPage: ({ signal, ...query }) =>
      client.request<Page<T>>({ method: 'GET', path: endpointOf(list), query, signal }),
  })
}
