import { Id, Instant, PageLimit } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import type { Fields } from '../field-changes.ts'
import type { DocumentType } from './document-types.ts'
import { type DocumentStatus, documentStatuses } from './policy.ts'

/** A document on the wire. */
export interface TradeDocument {
  readonly id: string
  readonly typeCode: string
  readonly number: string
  readonly display: string
  readonly status: DocumentStatus
  readonly payload: { readonly fields: Fields }
  readonly createdAtUtc: string
  readonly updatedAtUtc: string
}

/** One page of a type's documents, newest first. `nextCursor` is the `cursor` of the next request; null on the last page. */
export interface DocumentPage {
  readonly items: readonly TradeDocument[]
  readonly nextCursor: string | null
}

export const ListDocumentsQuery = v.object({ limit: PageLimit, cursor: v.optional(Id) })

/** The shapes of one type: what is sent, and what comes back. */
export function documentShapes(type: DocumentType) {
  const document = v.pipe(
    v.object({
      id: v.string(),
      typeCode: v.string(),
      number: v.string(),
      display: v.string(),
      status: v.picklist(documentStatuses),
      payload: v.object({ fields: type.fields }),
      createdAtUtc: Instant,
      updatedAtUtc: Instant,
    }),
    v.metadata({ ref: type.apiName }),
  )
  return {
    document,
    page: v.object({ items: v.array(document), nextCursor: v.nullable(v.string()) }),
    body: v.object({ fields: type.fields }),
  }
}
