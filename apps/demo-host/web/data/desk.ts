import type { Document } from '@vertical-kit/ui-client'
import type { ListState, Session } from '@vertical-kit/ui-client/stores'
import { atom, computed, type ReadableAtom } from 'nanostores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { type ListDefinition, listAt, lists, permissionFor } from '../lists.ts'
import { type Entries, openEntries } from './entries.ts'

/** All entries of one list. Forms offer the entries as choices, and lists show their names. */
export interface Choices<T extends Document | CatalogItem> {
  /** The entries that are loaded so far. */
  readonly $items: ReadableAtom<readonly T[]>
  /** Loads the entries once. With `again`, reloads them after a change. */
  load(options?: { readonly again?: boolean }): void
  find(id: string): T | undefined
}

/** The lists of a session. Each list is loaded once and kept until the session ends. */
export interface Desk {
  entriesOf(list: ListDefinition): Entries
  readonly customers: Choices<CatalogItem>
  readonly items: Choices<CatalogItem>
  readonly invoices: Choices<Document>
}

/** Maximum number of choices, which is enough for a demo. Larger lists would need a search in the service. */
const maxChoices = 500
/** Maximum number of entries that the service returns per request. */
const maxPageSize = 100

/** Opens the desk of a session. If the user has no permission to view a list, the list has no choices. */
export function openDesk(session: Session, may: (permission: string) => boolean): Desk {
  const entries = new Map(lists.map((list) => [list, openEntries(session, list)]))
  const choices = <T extends Document | CatalogItem>(list: ListDefinition) =>
    may(permissionFor(list, 'view')) ? openChoices<T>(session, list) : noChoices
  return {
    entriesOf(list) {
      const opened = entries.get(list)
      if (opened === undefined) throw new Error(`Unknown list: ${list.path}`)
      return opened
    },
    customers: choices<CatalogItem>(listAt('customers')),
    items: choices<CatalogItem>(listAt('items')),
    invoices: choices<Document>(listAt('sales-invoices')),
  }
}

const noChoices: Choices<never> = { $items: atom([]), load() {}, find: () => undefined }

function openChoices<T extends Document | CatalogItem>(session: Session, from: ListDefinition): Choices<T> {
  const list = openEntries<T>(session, from, maxPageSize)
  const loadAll = async (): Promise<void> => {
    await list.load()
    while (canLoadMore(list.$list.get())) await list.loadMore()
  }
  return {
    $items: computed(list.$list, ({ items }) => items),
    load({ again = false } = {}) {
      const { status } = list.$list.get()
      // After a failure, views show dashes instead of names, and the next view loads the names again.
      if (again || status === 'idle' || status === 'failed' || status === 'moreFailed') void loadAll()
    },
    find: (id) => list.$list.get().items.find((item) => item.id === id),
  }
}

const canLoadMore = ({ status, hasMore, items }: ListState<unknown>): boolean =>
  status === 'ready' && hasMore && items.length < maxChoices
