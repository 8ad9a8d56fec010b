import { signedInPath } from './signed-in-path.ts'

/** The lists of the page; each has its entries, and a form for a new one, below it. */
export const pageLists = [
  'sales-invoices',
  'sales-orders',
  'payments',
  'journal-entries',
  'customers',
  'items',
] as const
export type PageList = (typeof pageLists)[number]

/**
 * The page's own addresses: each answers with the same document, and the page shows what it names. Whatever else is
 * asked for and not there is a 404, as it should be.
 */
export const pageRoutes: readonly string[] = [
  '/',
  signedInPath,
  '/work-center',
  '/preferences',
  ...pageLists.flatMap((list) => [`/${list}`, `/${list}/new`, `/${list}/:id`]),
]
