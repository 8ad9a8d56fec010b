import { type SQL, sql } from 'drizzle-orm/sql'

/**
 * The name of the customer of an order or an invoice, which cannot be deleted while the document names it. An expression
 * to select; served by `documents_pkey` and `catalog_items_pkey`.
 */
export const customerName = (documentId: string): SQL => sql`(
  select customer.name
  from trade.documents document
  join trade.catalog_items customer on customer.id = (document.payload #>> '{fields,customerId}')::uuid
  where document.id = ${documentId}::uuid
)`
