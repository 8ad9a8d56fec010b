import { signedInPath } from './signed-in-path.ts'

/** The paths of the lists on the page. Below each list, the page also serves a path for each entry and for `new`. */
export const pageLists = [
  'sales-invoices',
  'sales-orders',
  'payments',
  'journal-entries',
  'customers',
  'items',
] as const
export type PageList = (typeof pageLists)[number]

/** The parts of the administration. Each has a path below `/administration`. */
export const administrationSections = ['users', 'roles', 'outbox', 'status'] as const
export type AdministrationSection = (typeof administrationSections)[number]

/** The path of the gallery, which shows the elements of the kit in their states. It needs no sign-in. */
export const galleryPath = '/gallery'

/**
 * The paths that return the document of the page. The page then shows the view for the path. All other paths return
 * 404.
 */
export const pageRoutes: readonly string[] = [
  '/',
  galleryPath,
  signedInPath,
  '/work-center',
  '/team',
  '/preferences',
  '/audit-log',
  ...administrationSections.map((section) => `/administration/${section}`),
  ...pageLists.flatMap((list) => [`/${list}`, `/${list}/new`, `/${list}/:id`]),
]
