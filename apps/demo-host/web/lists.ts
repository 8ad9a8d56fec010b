import type { BusinessObjectKind } from '@vertical-kit/ui-client'
import type { PageList } from '../src/page/page-routes.ts'
import type { IconName } from './icons.ts'

/** One list of the page: its path, the type of its entries, and its names. */
export interface ListDefinition {
  readonly path: PageList
  readonly resource: 'document' | 'catalog'
  readonly kind: BusinessObjectKind
  readonly typeCode: string
  readonly title: string
  /** The name of a single entry, for use within a sentence. */
  readonly one: string
  readonly icon: IconName
  /** The placeholder of the search field: the texts that a search finds. */
  readonly searched: string
  /** The orders of the list. */
  readonly sorts: readonly SortOption[]
}

/** One order of a list. `value` is its name in the URL and in requests, with `-` before a descending key. */
export interface SortOption {
  readonly value: string
  readonly label: string
}

/** The order of a list without other choice. */
export const newestFirst = '-created'

const byAge: readonly SortOption[] = [
  { value: newestFirst, label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
]
const byTotal: readonly SortOption[] = [
  { value: '-total', label: 'Largest amount first' },
  { value: 'total', label: 'Smallest amount first' },
]
const byDueDate: readonly SortOption[] = [
  { value: 'due', label: 'Earliest due date first' },
  { value: '-due', label: 'Latest due date first' },
]
const byName: readonly SortOption[] = [
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
]

/** All lists, in the order of the navigation. */
export const lists: readonly ListDefinition[] = [
  {
    ...document('sales-invoices', 'trade.sales_invoice', 'Sales invoices', 'sales invoice', 'invoice'),
    searched: 'Number or customer',
    sorts: [...byAge, ...byDueDate, ...byTotal],
  },
  {
    ...document('sales-orders', 'trade.sales_order', 'Sales orders', 'sales order', 'cart'),
    searched: 'Number or customer',
    sorts: [...byAge, ...byDueDate, ...byTotal],
  },
  {
    ...document('payments', 'trade.customer_payment', 'Payments', 'payment', 'card'),
    searched: 'Number, invoice or customer',
  },
  {
    ...document('journal-entries', 'general_journal_entry', 'Journal entries', 'journal entry', 'book'),
    kind: 'GeneralJournalEntry',
  },
  catalog('customers', 'trade.customer', 'Customers', 'customer', 'people'),
  catalog('items', 'trade.item', 'Items', 'item', 'box'),
]

/** Returns the list with this path. */
export function listAt(path: PageList): ListDefinition {
  const found = lists.find((list) => list.path === path)
  if (found === undefined) throw new Error(`Unknown list: ${path}`)
  return found
}

/** Returns the path of the service's endpoint for a list. */
export const endpointOf = ({ resource, typeCode }: ListDefinition): string =>
  `/api/${resource === 'document' ? 'documents' : 'catalogs'}/${typeCode}`

/** Returns the permission for an action on the entries of a list. */
export const permissionFor = (list: ListDefinition, action: string): string =>
  `${list.resource}.${list.typeCode}.${action}`

/** Returns the lists that the user may view. */
export const viewableLists = (may: (permission: string) => boolean): readonly ListDefinition[] =>
  lists.filter((list) => may(permissionFor(list, 'view')))

/** Returns whether the user may see what is overdue and what was received. */
export const maySeeReceivables = ({ may }: { may(permission: string): boolean }): boolean =>
  may('document.trade.sales_invoice.view') && may('document.trade.customer_payment.view')

function document(
  path: PageList,
  typeCode: string,
  title: string,
  one: string,
  icon: IconName,
): ListDefinition {
  return {
    ...{ path, resource: 'document', kind: 'Document', typeCode, title, one, icon },
    searched: 'Number',
    sorts: [...byAge, ...byTotal],
  }
}

function catalog(
  path: PageList,
  typeCode: string,
  title: string,
  one: string,
  icon: IconName,
): ListDefinition {
  return {
    ...{ path, resource: 'catalog', kind: 'CatalogItem', typeCode, title, one, icon },
    searched: path === 'items' ? 'Name or SKU' : 'Name, email, phone or city',
    sorts: [...byAge, ...byName],
  }
}
