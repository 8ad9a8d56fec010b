import { Id, PageLimit } from '@vertical-kit/core-audit/contract'
import { Document } from '@vertical-kit/document-actions/contract'
import * as v from 'valibot'
import type { DocumentType } from './document-types.ts'

/** One page of a type's documents, newest first. `nextCursor` is the `cursor` of the next request; null on the last page. */
export interface DocumentPage {
  readonly items: readonly Document[]
  readonly nextCursor: string | null
}

export const ListDocumentsQuery = v.object({ limit: PageLimit, cursor: v.optional(Id) })

/** The shapes of one type: what is sent, and what comes back. */
export function documentShapes(type: DocumentType) {
  const document = v.pipe(
    v.object({ ...Document.entries, payload: v.object({ fields: type.fields }) }),
    v.metadata({ ref: type.apiName }),
  )
  return {
    document,
    page: v.object({ items: v.array(document), nextCursor: v.nullable(v.string()) }),
    body: v.object({ fields: type.fields }),
  }
}
