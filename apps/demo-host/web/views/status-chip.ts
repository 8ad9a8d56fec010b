import type { DocumentStatus } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'

const faces: Record<DocumentStatus, { readonly label: string; readonly look: string }> = {
  Draft: { label: 'Draft', look: '' },
  Posted: { label: 'Posted', look: 'posted' },
  MarkedForDeletion: { label: 'Marked for deletion', look: 'marked' },
}

/** Renders the status of a document. */
export const statusChip = (status: DocumentStatus): TemplateResult =>
  html`<span class="chip ${faces[status].look}">${faces[status].label}</span>`

/** Returns the name of a status. */
export const statusLabel = (status: DocumentStatus): string => faces[status].label
