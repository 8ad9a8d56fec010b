import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'

/** For each referenced type, the part of a document's payload that contains the id of the referenced object. */
const placesOf: Readonly<Record<string, (id: string) => object>> = {
  'trade.customer': (id) => ({ fields: { customerId: id } }),
  'trade.item': (id) => ({ fields: { lines: [{ itemId: id }] } }),
  'trade.sales_invoice': (id) => ({ fields: { invoiceId: id } }),
}

/** Checks whether any document references the object. Uses the index `documents_by_reference`. */
export async function isReferenced(
  db: Db,
  { typeCode, id }: { readonly typeCode: string; readonly id: string },
): Promise<boolean> {
  const place = placesOf[typeCode]?.(id)
  if (place === undefined) return false
  const [row] = await db.execute<{ found: boolean }>(sql`
    select exists (
      select from trade.documents where payload @> ${JSON.stringify(place)}::jsonb
    ) as found`)
  return row?.found ?? false
}
