/**
 * The page's own addresses: each answers with the same document, and the page shows what it names. Whatever else is
 * asked for and not there is a 404, as it should be.
 */
export const pageRoutes: readonly string[] = [
  '/',
  '/signed-in',
  '/work-center',
  '/preferences',
  ...['sales-invoices', 'sales-orders', 'payments', 'journal-entries', 'customers', 'items'].flatMap((list) => [
    `/${list}`,
    `/${list}/new`,
    `/${list}/:id`,
  ]),
]
