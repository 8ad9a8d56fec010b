import { Id } from '@vertical-kit/core-audit/contract'
import {
  Document,
  type DocumentStatus,
  documentStatuses,
  ExecuteActionBody,
} from '@vertical-kit/document-actions/contract'
import * as v from 'valibot'
import { listQuery } from '../list-query.ts'
import type { DocumentType } from './document-types.ts'

/** A document in a list. To execute an action on it, send `documentVersion` as `expectedVersion`. */
export type ListedDocument = Document & { readonly documentVersion: number }

/** The number of documents with each status that a search finds. Counts to 1,000. */
export type DocumentCounts = Readonly<Record<DocumentStatus, number>>

/** One page of documents. `nextCursor` is the `cursor` of the next request, or null on the last page. */
export interface DocumentPage {
  readonly items: readonly ListedDocument[]
  readonly nextCursor: string | null
  readonly counts?: DocumentCounts
}

/** The query of a deletion. See {@link documentShapes} for `expectedVersion`. */
export const DeleteDocumentQuery = v.object({
  expectedVersion: v.optional(
    v.pipe(v.string(), v.regex(/^-?\d{1,15}$/, 'expected a whole number'), v.transform(Number)),
  ),
})

/** Returns the request and response schemas of one document type. */
export function documentShapes(type: DocumentType) {
  const document = v.pipe(
    v.object({ ...Document.entries, payload: v.object({ fields: type.fields }) }),
    v.metadata({ ref: type.apiName }),
  )
  return {
    document,
    listQuery: v.object({
      ...listQuery(type.sortKeys).entries,
      status: v.optional(v.picklist(documentStatuses)),
    }),
    page: v.object({
      items: v.array(v.object({ ...document.entries, documentVersion: v.number() })),
      nextCursor: v.nullable(v.string()),
      counts: v.optional(v.object({ Draft: v.number(), Posted: v.number(), MarkedForDeletion: v.number() })),
    }),
    creation: v.object({
      fields: type.fields,
      /** Identifies the creation among those of the user: a repetition, for example after a lost response, returns its document. */
      creationKey: v.optional(Id),
    }),
    replacement: v.object({
      fields: type.fields,
      /** The `documentVersion` of the editor state that the caller has seen. If it is missing, the last write wins. */
      expectedVersion: v.optional(ExecuteActionBody.entries.expectedVersion),
    }),
  }
}
