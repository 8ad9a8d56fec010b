import { html, nothing, type TemplateResult } from 'lit'
import type { Fact } from './editors/editor.ts'

/** The input of {@link versionConflict}. */
export interface VersionConflict {
  /** The name of a single entry of this kind, for use within a sentence. */
  readonly one: string
  /** Whether the form contains unsaved changes. Loading the current version discards these changes. */
  readonly isDirty: boolean
  /** The name of the user who changed the entry, or null. */
  readonly editor: string | null
  /** The changes of the other user. Empty until they are known. */
  readonly changes: readonly ChangedFact[]
  readonly load: () => void
  /** Loads the current version below the user's changes. Null if it can no longer be edited. */
  readonly keep: (() => void) | null
}

/** A value that another user has changed. `mine` is null if the form contains one of the other two values. */
export interface ChangedFact {
  readonly label: string
  readonly base: string
  readonly mine: string | null
  readonly theirs: string
}

/** Returns the facts that differ between the base and their version. Facts without a counterpart have the text `—`. */
export function changedFacts(
  base: readonly Fact[],
  mine: readonly Fact[],
  theirs: readonly Fact[],
): readonly ChangedFact[] {
  const textIn = (facts: readonly Fact[], label: string) =>
    facts.find((fact) => fact.label === label)?.text ?? '—'
  return [...new Set([...base, ...theirs].map(({ label }) => label))]
    .map((label) => ({
      label,
      base: textIn(base, label),
      mine: textIn(mine, label),
      theirs: textIn(theirs, label),
    }))
    .filter((fact) => fact.base !== fact.theirs)
    .map((fact) => ({ ...fact, mine: [fact.base, fact.theirs].includes(fact.mine) ? null : fact.mine }))
}

/** Renders the notice of a version conflict. The form keeps its values until the user chooses a button. */
export function versionConflict(conflict: VersionConflict): TemplateResult {
  const { one, isDirty, editor, changes, load, keep } = conflict
  return html`<div class="notice stack conflict" role="alert">
    <p>
      <bdi>${editor ?? 'Someone else'}</bdi> changed this ${one} after you opened it. Nothing was saved or deleted.
      ${isDirty ? 'Your changes are still in the form.' : ''}
    </p>
    ${changes.length === 0 ? nothing : html`<ul aria-label="Changes">${changes.map(changeItem)}</ul>`}
    <div class="row">
      ${
        isDirty && keep !== null
          ? html`<button type="button" class="button small" @click=${keep}>
              Keep my changes, and load the other ones
            </button>`
          : nothing
      }
      <button type="button" class="button small" @click=${load}>
        ${isDirty ? 'Discard my changes and load the current version' : 'Load the current version'}
      </button>
    </div>
  </div>`
}

const changeItem = ({ label, base, mine, theirs }: ChangedFact): TemplateResult => html`<li>
  ${label}: <strong><bdi>${theirs}</bdi></strong> (before: <bdi>${base}</bdi>${mine === null ? nothing : html`; yours: <bdi>${mine}</bdi>`})
</li>`
