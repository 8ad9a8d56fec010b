import { checkVersion, type DocumentState } from '@vertical-kit/document-actions'
import { DocumentsError } from './errors.ts'

/**
 * Only drafts can be edited or deleted, and only at the version the caller saw, if the request names one. The version
 * comes first: a draft that somebody posted since is a conflict, which clients resolve by loading the document again.
 *
 * @throws {DocumentActionsError} documents.version_conflict
 * @throws {DocumentsError} documents.not_draft
 */
export function checkDraft(document: DocumentState, expectedVersion: number | undefined): void {
  if (expectedVersion !== undefined) checkVersion(document, expectedVersion)
  const { status } = document
  if (status !== 'Draft') throw new DocumentsError('documents.not_draft', { context: { status } })
}

/** `SI-000042`; past a million the number only grows longer. */
export function documentNumber(prefix: string, position: number): string {
  return `${prefix}-${String(position).padStart(6, '0')}`
}
