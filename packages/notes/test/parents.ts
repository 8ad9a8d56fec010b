import { newId } from '@vertical-kit/core-audit'
import {
  type BusinessObjectKind,
  type BusinessObjectReference,
  generalJournalEntryTypeCode,
} from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { type BusinessObjects, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { sql } from 'drizzle-orm/sql'

/** The business objects in a table of the vertical. `readers` limits which callers are allowed to read an object. */
export const businessObjects: BusinessObjects = createBusinessObjects(
  (
    [
      ['Document', 'trade.sales_invoice'],
      ['CatalogItem', 'trade.customer'],
      ['GeneralJournalEntry', generalJournalEntryTypeCode],
    ] as const
  ).map(([kind, typeCode]) => ({
    kind,
    typeCodes: [typeCode],
    async isReadable(db, { subject }, { id }) {
      const rows = await db.execute(sql`
        select id from trade.parents
        where id = ${id}::uuid and kind = ${kind} and type_code = ${typeCode}
          and (readers is null or ${subject} = any(readers))`)
      return rows.length > 0
    },
  })),
)

/** Returns a reference with a new id. The business object does not exist yet. */
export function newReference(
  kind: BusinessObjectKind = 'Document',
  typeCode = 'trade.sales_invoice',
): BusinessObjectReference {
  return { kind, typeCode, id: newId() }
}

/** Adds a business object that all users are allowed to read. */
export async function addParent(
  database: Database,
  reference: BusinessObjectReference = newReference(),
): Promise<BusinessObjectReference> {
  await database.statement((tx) =>
    tx.execute(sql`
      insert into trade.parents (id, kind, type_code)
      values (${reference.id}::uuid, ${reference.kind}, ${reference.typeCode})`),
  )
  return reference
}

/** Allows only these subjects to read the business object. */
export async function showOnlyTo(
  database: Database,
  { id }: BusinessObjectReference,
  subjects: readonly string[],
): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`update trade.parents set readers = ${sql.param(subjects)}::text[] where id = ${id}::uuid`),
  )
}

/** Deletes the row of the business object. */
export async function removeParent(database: Database, { id }: BusinessObjectReference): Promise<void> {
  await database.statement((tx) => tx.execute(sql`delete from trade.parents where id = ${id}::uuid`))
}
