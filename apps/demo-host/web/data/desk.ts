import type { Client, Document, Page } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { endpointOf, type ListDefinition, listAt, lists, permissionFor } from '../lists.ts'
import { type Entries, openEntries } from './entries.ts'

/** What forms choose from and lists show names of: all of one list, by id. */
export interface Choices<T extends Document | CatalogItem> {
  /** Empty until it was read; null while it is not. */
  readonly $items: ReadableAtom<readonly T[] | null>
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

/** Opens the desk of a session. A list the user may not view is one without choices. */
export function openDesk(client: Client, session: Session, may: (permission: string) => boolean): Desk {
  const entries = new Map(lists.map((list) => [list, openEntries(client, session, list)]))
  const choices = <T extends Document | CatalogItem>(list: ListDefinition) =>
    openChoices<T>(client, session, may(permissionFor(list, 'view')) ? list : null)
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

function openChoices<T extends Document | CatalogItem>(
  client: Client,
  { signal }: Session,
  list: ListDefinition | null,
): Choices<T> {
  const $items = atom<readonly T[] | null>(list === null ? [] : null)
  let reading: Promise<void> | null = null
  let byId = new Map<string, T>()
  const read = async (from: ListDefinition): Promise<void> => {
    const found: T[] = []
    let cursor: string | null = null
    do {
      const query: { limit: number; cursor: string | null } = { limit: 100, cursor }
      const page: Page<T> = await client.request<Page<T>>({
        method: 'GET',
        path: endpointOf(from),
        query,
        signal,
      })
      found.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && found.length < maxChoices)
    byId = new Map(found.map((item) => [item.id, item]))
    $items.set(found)
  }
  return {
    $items,
    load({ again = false } = {}) {
      if (list === null || (reading !== null && !again)) return
      // Names that could not be read are shown as dashes, and asked for again at the next view.
      reading = read(list).catch(() => {
        reading = null
      })
    },
    find: (id) => byId.get(id),
  }
}
