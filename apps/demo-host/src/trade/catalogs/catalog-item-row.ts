import { type SQL, sql, toInstant } from '@vertical-kit/core-audit'
import type { Fields } from './catalog-types.ts'
import type { CatalogItem } from './contract.ts'

/** A row selected with {@link catalogItemColumns}. */
export type CatalogItemRow = {
  id: string
  type_code: string
  name: string
  fields: Fields
  created_at: string
  updated_at: string
}

/** The columns of {@link CatalogItemRow}. */
export const catalogItemColumns: SQL = sql`id, type_code, name, fields, created_at, updated_at`

/** Converts a row to the catalog item that the API returns. */
export function toCatalogItem(row: CatalogItemRow): CatalogItem {
  return {
    id: row.id,
    typeCode: row.type_code,
    name: row.name,
    fields: row.fields,
    createdAtUtc: toInstant(row.created_at),
    updatedAtUtc: toInstant(row.updated_at),
  }
}
