import { checkVersion, type DocumentState } from '@vertical-kit/document-actions'
import { DocumentsError } from './errors.ts'

/**
 * Checks that a document is a draft and, if the caller passes an expected version, has that version. Checks the version
 * first, so a draft that another user has posted is a version conflict. Clients then load the document again.
 *
 * @throws {DocumentActionsError} documents.version_conflict
 * @throws {DocumentsError} documents.not_draft
 */
export function checkDraft(document: DocumentState, expectedVersion: number | undefined): void {
  if (expectedVersion !== undefined) checkVersion(document, expectedVersion)
  const { status } = document
  if (status !== 'Draft') throw new DocumentsError('documents.not_draft', { context: { status } })
}

/** Returns a document number such as `SI-000042`. Positions above 999999 have more digits. */
export function documentNumber(prefix: string, position: number): string {
  return `${prefix}-${String(position).padStart(6, '0')}`
}
