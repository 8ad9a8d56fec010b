import { type SQL, sql } from '@vertical-kit/core-audit'

/**
 * Selects the customer's name for an order or invoice. A customer cannot be deleted while a document references it, so
 * the name always exists. Uses the indexes `documents_pkey` and `catalog_items_pkey`.
 */
export const customerName = (documentId: string): SQL => sql`(
  select customer.name
  from trade.documents document
  join trade.catalog_items customer on customer.id = (document.payload #>> '{fields,customerId}')::uuid
  where document.id = ${documentId}::uuid
)`
