import { checkVersion, type DocumentState } from '@vertical-kit/document-actions'
import { DocumentsError } from './errors.ts'

/**
 * Accepts only drafts, and only at the expected version if the request contains one. Checks the version first: a draft
 * that was posted in between is a conflict, which clients resolve by loading the document again.
 *
 * @throws {DocumentActionsError} documents.version_conflict
 * @throws {DocumentsError} documents.not_draft
 */
export function checkDraft(document: DocumentState, expectedVersion: number | undefined): void {
  if (expectedVersion !== undefined) checkVersion(document, expectedVersion)
  const { status } = document
  if (status !== 'Draft') throw new DocumentsError('documents.not_draft', { context: { status } })
}

/** Returns a document number such as `SI-000042`. From a million on, numbers get longer. */
export function documentNumber(prefix: string, position: number): string {
  return `${prefix}-${String(position).padStart(6, '0')}`
}
