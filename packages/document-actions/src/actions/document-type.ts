import type { Caller } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type { Effects } from '../contract.ts'
import type { DocumentState, DocumentStore } from '../documents/document-store.ts'
import type { ActionDefinition, LoadFacts } from './action-definition.ts'

/** One type of document: where its documents are, and what may be done to them. */
export interface DocumentTypeDefinition<Facts> {
  /** `trade.sales_invoice`; in URLs and permissions. */
  readonly typeCode: string
  /** Several of them, as in "Post sales invoices". */
  readonly plural: string
  readonly store: DocumentStore
  /** Absent where no action's availability depends on more than the document. */
  readonly loadFacts?: LoadFacts<Facts>
  readonly actions: readonly ActionDefinition<Facts>[]
  /**
   * Whether a caller who holds `document.<type>.view` may see this one; everyone may when absent. A document that is
   * hidden answers like one that does not exist.
   */
  isVisibleTo?(caller: Caller, document: DocumentState): boolean
  /** What the document has done to the books; nothing when absent. */
  loadEffects?(db: Db, document: DocumentState): Promise<Effects>
}

/** A type whatever its facts are: what a host registers. */
export type DocumentType = DocumentTypeDefinition<unknown>

/** Defines a type; its facts are known to its own actions alone. */
export function documentType<Facts = undefined>(definition: DocumentTypeDefinition<Facts>): DocumentType {
  return definition as DocumentType
}
