import { DocumentsError } from './errors.ts'

/** Where a document is in its life. Drafts can be edited and deleted; what is posted or marked cannot. */
export const documentStatuses = ['Draft', 'Posted', 'MarkedForDeletion'] as const
export type DocumentStatus = (typeof documentStatuses)[number]

/**
 * Fields change, and documents vanish, while they are drafts.
 * @throws {DocumentsError} documents.not_draft
 */
export function checkDraft(status: DocumentStatus): void {
  if (status !== 'Draft') throw new DocumentsError('documents.not_draft', { context: { status } })
}

/** `SI-000042`; past a million the number only grows longer. */
export function documentNumber(prefix: string, position: number): string {
  return `${prefix}-${String(position).padStart(6, '0')}`
}
