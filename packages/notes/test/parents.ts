import { newId } from '@vertical-kit/core-audit'
import {
  type BusinessObjectKind,
  type BusinessObjectReference,
  generalJournalEntryTypeCode,
} from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { type BusinessObjects, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { sql } from 'drizzle-orm/sql'

/** Business objects in a table of the vertical. A caller may read an existing object if `readers` allows it. */
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

/** Returns a reference to an object that does not exist yet. */
export function newReference(
  kind: BusinessObjectKind = 'Document',
  typeCode = 'trade.sales_invoice',
): BusinessObjectReference {
  return { kind, typeCode, id: newId() }
}

/** Adds a business object that all users may read. */
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

/** Restricts read access to these subjects. */
export async function showOnlyTo(
  database: Database,
  { id }: BusinessObjectReference,
  subjects: readonly string[],
): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`update trade.parents set readers = ${sql.param(subjects)}::text[] where id = ${id}::uuid`),
  )
}

/** Hard-deletes the object. */
export async function removeParent(database: Database, { id }: BusinessObjectReference): Promise<void> {
  await database.statement((tx) => tx.execute(sql`delete from trade.parents where id = ${id}::uuid`))
}
