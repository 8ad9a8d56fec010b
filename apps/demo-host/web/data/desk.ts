import type { Document } from '@vertical-kit/ui-client'
import type { ListState, Session } from '@vertical-kit/ui-client/stores'
import { atom, computed, type ReadableAtom } from 'nanostores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { type ListDefinition, listAt, lists, permissionFor } from '../lists.ts'
import { type Entries, openEntries } from './entries.ts'

/** What forms choose from and lists show names of: all of one list, by id. */
export interface Choices<T extends Document | CatalogItem> {
  /** Those that were read so far. */
  readonly $items: ReadableAtom<readonly T[]>
  /** Reads it, once; `again` after a change. */
  load(options?: { readonly again?: boolean }): void
  find(id: string): T | undefined
}

/** What a user works with on the page, read once and kept while the session lasts. */
export interface Desk {
  entriesOf(list: ListDefinition): Entries
  readonly customers: Choices<CatalogItem>
  readonly items: Choices<CatalogItem>
  readonly invoices: Choices<Document>
}

/** Enough to choose from on a demo; a search would be the service's to offer. */
const maxChoices = 500
/** The most that the service answers one request with. */
const maxPageSize = 100

/** Opens the desk of a session. A list the user may not view is one without choices. */
export function openDesk(session: Session, may: (permission: string) => boolean): Desk {
  const entries = new Map(lists.map((list) => [list, openEntries(session, list)]))
  const choices = <T extends Document | CatalogItem>(list: ListDefinition) =>
    may(permissionFor(list, 'view')) ? openChoices<T>(session, list) : noChoices
  return {
    entriesOf(list) {
      const opened = entries.get(list)
      if (opened === undefined) throw new Error(`${list.path} is no list`)
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
  const readAll = async (): Promise<void> => {
    await list.load()
    while (mayReadOn(list.$list.get())) await list.loadMore()
  }
  return {
    $items: computed(list.$list, ({ items }) => items),
    load({ again = false } = {}) {
      const { status } = list.$list.get()
      // Names that could not be read are shown as dashes, and asked for again at the next view.
      if (again || status === 'idle' || status === 'failed' || status === 'moreFailed') void readAll()
    },
    find: (id) => list.$list.get().items.find((item) => item.id === id),
  }
}

const mayReadOn = ({ status, hasMore, items }: ListState<unknown>): boolean =>
  status === 'ready' && hasMore && items.length < maxChoices
