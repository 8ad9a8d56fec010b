import type { Caller } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RegisteredType } from '../actions/registry.ts'
import type { EditorState, Effects } from '../contract.ts'
import { toDocument } from '../documents/document-row.ts'
import type { StoredDocument } from '../documents/document-store.ts'
import { describeActions, requireVisible } from '../policy.ts'

/** A caller and the document that they request. */
export interface DocumentQuery {
  readonly type: RegisteredType
  readonly id: string
  readonly caller: Caller
}

/**
 * Returns the document if the caller may see it.
 * @throws {DocumentActionsError} documents.not_found
 */
export async function findVisible(db: Db, { type, id, caller }: DocumentQuery): Promise<StoredDocument> {
  const { store, typeCode } = type.definition
  const document = isUuid(id) ? await store.find(db, { typeCode, id: id.toLowerCase() }) : undefined
  return requireVisible(type, caller, document)
}

/**
 * Returns a document with the actions of the caller. Sends one statement for the document, plus the statements of
 * `loadFacts`. The number of statements does not depend on the number of actions.
 * @throws {DocumentActionsError} documents.not_found
 */
export async function loadEditorState(db: Db, query: DocumentQuery): Promise<EditorState> {
  const { type, caller } = query
  const document = await findVisible(db, query)
  const facts = await type.definition.loadFacts?.(db, document)
  return {
    document: toDocument(document),
    documentVersion: document.version,
    actions: describeActions(type, caller, document, facts),
  }
}

/**
 * Returns the effects of a document on the books.
 * @throws {DocumentActionsError} documents.not_found
 */
export async function loadEffects(db: Db, query: DocumentQuery): Promise<Effects> {
  const document = await findVisible(db, query)
  const effects = await query.type.definition.loadEffects?.(db, document)
  return effects ?? { accountingEntries: [], registerMovements: [] }
}
