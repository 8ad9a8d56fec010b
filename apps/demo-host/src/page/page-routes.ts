import { signedInPath } from './signed-in-path.ts'

/** The lists of the page. Each path also has a path for each entry and for a form to create one. */
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
 * The page's own paths. Each returns the same document, and the page shows the view for its path. Unknown paths return
 * 404.
 */
export const pageRoutes: readonly string[] = [
  '/',
  signedInPath,
  '/work-center',
  '/preferences',
  ...pageLists.flatMap((list) => [`/${list}`, `/${list}/new`, `/${list}/:id`]),
]
