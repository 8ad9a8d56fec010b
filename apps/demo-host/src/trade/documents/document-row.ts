import { toInstant } from '@vertical-kit/core-audit'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Fields } from '../field-changes.ts'
import type { TradeDocument } from './contract.ts'
import type { DocumentStatus } from './policy.ts'

/** A document as {@link documentColumns} selects it. */
export type DocumentRow = {
  id: string
  type_code: string
  number: string
  display: string
  status: DocumentStatus
  version: number
  payload: { readonly fields: Fields }
  created_at: string
  updated_at: string
}

/** The columns of {@link DocumentRow}. */
export const documentColumns: SQL = sql`
  id, type_code, number, display, status, version, payload, created_at, updated_at`

/** The row in its wire shape. */
export function toDocument(row: DocumentRow): TradeDocument {
  return {
    id: row.id,
    typeCode: row.type_code,
    number: row.number,
    display: row.display,
    status: row.status,
    payload: row.payload,
    createdAtUtc: toInstant(row.created_at),
    updatedAtUtc: toInstant(row.updated_at),
  }
}
