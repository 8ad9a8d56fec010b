import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type { Reference } from '../document-types.ts'

/** Returns the references to objects that do not exist or have another type. */
export function findMissingReferences(
  db: Db,
  references: readonly Reference[],
): Promise<readonly Reference[]> {
  return missingReferences(db, references, sql``)
}

/**
 * Returns the missing references like {@link findMissingReferences}. Also locks the existing objects until the
 * transaction ends, so they cannot be deleted. Concurrent documents can share these locks. All transactions acquire them in
 * the order of ids.
 */
export function lockReferences(tx: Tx, references: readonly Reference[]): Promise<readonly Reference[]> {
  return missingReferences(tx, references, sql`for key share`)
}

type Row = { id: string; type_code: string }

async function missingReferences(
  db: Db,
  references: readonly Reference[],
  locking: SQL,
): Promise<readonly Reference[]> {
  const idsOf = (kind: Reference['kind']): readonly string[] => [
    ...new Set(references.filter((reference) => reference.kind === kind).map(({ id }) => id)),
  ]
  const select = async (table: SQL, ids: readonly string[]): Promise<readonly Row[]> =>
    ids.length === 0
      ? []
      : db.execute<Row>(sql`
          select id, type_code from ${table}
          where id = any(${sql.param(ids)}::uuid[])
          order by id
          ${locking}`)
  const rows = await Promise.all([
    select(sql`trade.catalog_items`, idsOf('catalog')),
    select(sql`trade.documents`, idsOf('document')),
  ])
  const found = new Map(rows.flat().map((row) => [row.id, row.type_code]))
  return references.filter(({ id, typeCode }) => found.get(id) !== typeCode)
}
