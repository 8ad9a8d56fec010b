import type { Document } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { type ListDefinition, listAt, lists, permissionFor } from '../lists.ts'
import { type Entries, type Entry, openEntries } from './entries.ts'
import { paymentFieldsOf, salesFieldsOf } from './fields.ts'
import { type Lookup, noLookup, openLookup } from './lookup.ts'

/** The lists of a session, and the entries that documents refer to. Both are kept until the session ends. */
export interface Desk {
  entriesOf(list: ListDefinition): Entries
  /** Loads the entries that the rows of a list name, so that rows appear complete. With `learn`, only those that are not known. */
  complete(list: ListDefinition, rows: readonly Entry[], how?: 'load' | 'learn'): Promise<void>
  readonly customers: Lookup<CatalogItem>
  readonly items: Lookup<CatalogItem>
  readonly invoices: Lookup<Document>
  /** The entries that the user has opened, the latest first. */
  readonly $recent: ReadableAtom<readonly Recent[]>
  /** Remembers that the user has opened an entry. */
  remember(opened: Recent): void
  /** Removes a deleted entry from its list and from the opened entries. */
  forget(list: ListDefinition, id: string): void
}

/** An opened entry: its path, its name and its kind. */
export interface Recent {
  readonly value: string
  readonly label: string
  readonly hint: string
}

/** More would push the places out of sight. */
const maxRecent = 5

/** Opens the desk of a session. If the user has no permission to view a list, its lookup finds nothing. */
export function openDesk(session: Session, may: (permission: string) => boolean): Desk {
  const lookup = <T extends Entry>(list: ListDefinition) =>
    may(permissionFor(list, 'view')) ? openLookup<T>(session, list) : noLookup
  const customers = lookup<CatalogItem>(listAt('customers'))
  const items = lookup<CatalogItem>(listAt('items'))
  const invoices = lookup<Document>(listAt('sales-invoices'))

  const complete: Desk['complete'] = async ({ path }, rows, how = 'load') => {
    const documents = rows.filter((row) => 'number' in row)
    if (path === 'payments') await invoices[how](documents.map((row) => paymentFieldsOf(row).invoiceId))
    if (path === 'sales-invoices' || path === 'sales-orders')
      await customers[how](documents.map((row) => salesFieldsOf(row).customerId))
  }
  const opened = new Map(
    lists.map((list) => [list, openEntries(session, list, (rows) => complete(list, rows))]),
  )
  const $recent = atom<readonly Recent[]>([])
  const entriesOf = (list: ListDefinition): Entries => {
    const entries = opened.get(list)
    if (entries === undefined) throw new Error(`Unknown list: ${list.path}`)
    return entries
  }
  return {
    entriesOf,
    complete,
    $recent,
    remember(opened) {
      const others = $recent.get().filter(({ value }) => value !== opened.value)
      $recent.set([opened, ...others].slice(0, maxRecent))
    },
    forget(list, id) {
      entriesOf(list).remove(id)
      $recent.set($recent.get().filter(({ value }) => value !== `/${list.path}/${id}`))
    },
    customers,
    items,
    invoices,
  }
}
