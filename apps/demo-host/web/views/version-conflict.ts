import { html, type TemplateResult } from 'lit'

/** The input of {@link versionConflict}. */
interface VersionConflict {
  /** The name of a single entry of this kind, for use within a sentence. */
  readonly one: string
  /** Whether the form contains unsaved changes. Loading the current version discards these changes. */
  readonly isDirty: boolean
  readonly load: () => void
}

/** Renders the notice of a version conflict. The form keeps its values until the user loads the current version. */
export function versionConflict({ one, isDirty, load }: VersionConflict): TemplateResult {
  return html`<div class="notice notice-row conflict" role="alert">
    <span>
      Someone else changed this ${one} after you opened it. Nothing was saved or deleted.
      ${isDirty ? 'Your changes are still in the form.' : ''}
    </span>
    <button type="button" class="button small" @click=${load}>
      ${isDirty ? 'Discard my changes and load the current version' : 'Load the current version'}
    </button>
  </div>`
}
