import { html, type TemplateResult } from 'lit'

/** What the form of a refused change is told about. */
interface VersionConflict {
  /** The kind of entry, within a sentence. */
  readonly one: string
  /** Whether the form holds changes, which loading the current version discards. */
  readonly isDirty: boolean
  readonly load: () => void
}

/** Says that somebody else changed the document. The form keeps its values until the user chooses to load. */
export function versionConflict({ one, isDirty, load }: VersionConflict): TemplateResult {
  return html`<div class="notice notice-row" role="alert">
    <span>
      Someone else changed this ${one} after you opened it. Nothing was saved or deleted.
      ${isDirty ? 'Your changes are still in the form.' : ''}
    </span>
    <button type="button" class="button small" @click=${load}>
      ${isDirty ? 'Discard my changes and load the current version' : 'Load the current version'}
    </button>
  </div>`
}
