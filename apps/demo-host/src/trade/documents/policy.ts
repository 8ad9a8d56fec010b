import type { DocumentStatus } from '@vertical-kit/document-actions/contract'
import { DocumentsError } from './errors.ts'

/**
 * Fields change, and documents vanish, while they are drafts; what is posted or marked for deletion stays as it is.
 * @throws {DocumentsError} documents.not_draft
 */
export function checkDraft(status: DocumentStatus): void {
  if (status !== 'Draft') throw new DocumentsError('documents.not_draft', { context: { status } })
}

/** `SI-000042`; past a million the number only grows longer. */
export function documentNumber(prefix: string, position: number): string {
  return `${prefix}-${String(position).padStart(6, '0')}`
}
