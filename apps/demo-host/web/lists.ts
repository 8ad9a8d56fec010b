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
}

/** All lists, in the order of the navigation. */
export const lists: readonly ListDefinition[] = [
  document('sales-invoices', 'trade.sales_invoice', 'Sales invoices', 'sales invoice', 'invoice'),
  document('sales-orders', 'trade.sales_order', 'Sales orders', 'sales order', 'cart'),
  document('payments', 'trade.customer_payment', 'Payments', 'payment', 'card'),
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

function document(
  path: PageList,
  typeCode: string,
  title: string,
  one: string,
  icon: IconName,
): ListDefinition {
  return { path, resource: 'document', kind: 'Document', typeCode, title, one, icon }
}

function catalog(
  path: PageList,
  typeCode: string,
  title: string,
  one: string,
  icon: IconName,
): ListDefinition {
  return { path, resource: 'catalog', kind: 'CatalogItem', typeCode, title, one, icon }
}
