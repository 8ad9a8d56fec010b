import type { Db } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import { sql } from 'drizzle-orm/sql'
import type { TradeDocument } from '../contract.ts'
import { type DocumentRow, documentColumns, toDocument } from '../document-row.ts'

/** A document of a type. Text that is not a UUID names none, nor does the id of a document of another type. */
export async function findDocument(db: Db, typeCode: string, id: string): Promise<TradeDocument | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.execute<DocumentRow>(sql`
    select ${documentColumns}
    from trade.documents
    where id = ${id}::uuid and type_code = ${typeCode}`)
  return row === undefined ? undefined : toDocument(row)
}

/** Whether there is such a document: what attaching content to it asks, without reading it. */
export async function documentExists(db: Db, typeCode: string, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select from trade.documents where id = ${id}::uuid and type_code = ${typeCode}`)
  return rows.length > 0
}
