import type { Document, Page } from '@vertical-kit/ui-client'
import { createPagedList, type ListState, type PagedList, type Session } from '@vertical-kit/ui-client/stores'
import { atom, computed, type ReadableAtom } from 'nanostores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { endpointOf, type ListDefinition } from '../lists.ts'
import { defaultQuery, type ListQuery, requestOf, searchOf } from './list-query.ts'

/** An entry of a list: a document, or an item of a catalog. Only documents of a list have a version. */
export type Entry = (Document & { readonly documentVersion?: number }) | CatalogItem

/** The number of documents by status, or the `total` of a catalog. The service counts to 1,000. */
export type Counts = Readonly<Record<string, number>>

/** The entries of one list. They are loaded page by page, and all views of a session share them. */
export interface Entries extends Pick<PagedList<Entry>, '$list' | 'load' | 'refresh' | 'loadMore'> {
  /** The numbers of entries that the search finds, whatever the status. Null while they are not known. */
  readonly $counts: ReadableAtom<Counts | null>
  /** Shows the entries of a query from the start. Keeps the rows if they belong to the same query. */
  open(query: ListQuery): void
  /** Shows the entries of another query. The rows stay visible until the new rows are known. */
  change(query: ListQuery): void
  /** Removes a deleted entry from the rows. */
  remove(id: string): void
}

/** Opens a list that ends with its session. `complete` loads what the rows of a page refer to. */
export function openEntries(
  { client, signal }: Session,
  list: ListDefinition,
  complete: (rows: readonly Entry[]) => Promise<void>,
): Entries {
  const $counts = atom<Counts | null>(null)
  let shown: ListQuery = defaultQuery
  /** The rows of the previous query, until those of the next one are known. */
  let previous: ListState<Entry> | null = null
  signal.addEventListener('abort', () => {
    previous = null
  })
  const paged = createPagedList<Entry, Page<Entry> & { readonly counts?: Counts }>({
    signal,
    pageSize: 30,
    async fetchPage({ signal, ...page }) {
      const query = { ...requestOf(shown), ...page, counts: page.cursor === null ? 'true' : null }
      const answer = await client.request<Page<Entry> & { readonly counts?: Counts }>({
        method: 'GET',
        path: endpointOf(list),
        query,
        signal,
      })
      await complete(answer.items)
      return answer
    },
    shown: ({ counts }) => counts !== undefined && $counts.set(counts),
  })
  const load = (query: ListQuery) => {
    shown = query
    void paged.load()
  }
  paged.$list.listen(({ status }) => {
    if (status === 'ready') previous = null
  })
  const $list = computed(paged.$list, ({ status, error, ...rows }): ListState<Entry> => {
    if (previous === null) return { status, error, ...rows }
    return { ...previous, status: status === 'loading' ? 'refreshing' : status, error }
  })
  return {
    $list,
    $counts,
    load: paged.load,
    refresh: paged.refresh,
    loadMore: paged.loadMore,
    open(query) {
      if (searchOf(query) !== searchOf(shown)) {
        previous = null
        paged.reset()
        $counts.set(null)
      }
      load(query)
    },
    change(query) {
      // Without the reset, the list would load as many rows as it shows, and those of a page that has failed.
      previous = $list.get()
      paged.reset()
      load(query)
    },
    remove(id) {
      const without = (rows: readonly Entry[]) => rows.filter((row) => row.id !== id)
      previous &&= { ...previous, items: without(previous.items) }
      paged.change(without)
    },
  }
}
