import type { KitError } from '@vertical-kit/ui-client'
import { html, nothing, type TemplateResult } from 'lit'
import type { Desk } from '../data/desk.ts'
import type { Entry } from '../data/entries.ts'
import type { LastEditor } from '../data/last-editor.ts'
import type { FormValues } from '../form/form.ts'
import type { LinesOf } from '../form/rebase.ts'
import type { Editor } from './editors/editor.ts'

/** The input of {@link versionConflict}. */
export interface VersionConflict {
  /** The name of a single entry of this kind, for use within a sentence. */
  readonly one: string
  /** Whether the form contains unsaved changes. Loading the current version discards these changes. */
  readonly isDirty: boolean
  /** The user who changed the entry, or null. It can be the reader. */
  readonly editor: LastEditor | null
  /** The changes of the other version. Empty until they are known. */
  readonly changes: readonly ChangedFact[]
  readonly load: () => void
  /** Loads the current version and keeps the user's changes. Null if it can no longer be edited. */
  readonly keep: ((lines?: LinesOf) => void) | null
  /** Whether `keep` needs the lines that the user chooses. */
  readonly mustChooseLines: boolean
  /** Whether the service has refused a request because of the conflict. */
  readonly isRefused: boolean
  /** Whether a request of the form is running. The buttons have no effect until its end. */
  readonly isSaving: boolean
}

/** A value that the other version has changed. `mine` is null if the form contains one of the other two values. */
export interface ChangedFact {
  readonly label: string
  readonly base: string
  readonly mine: string | null
  readonly theirs: string
}

/** The form with the user's changes. */
interface ChangedForm {
  /** The values before both changes. */
  readonly base: FormValues
  readonly mine: FormValues
  readonly editor: Editor
  readonly desk: Desk
}

/** Returns whether a request was refused because the entry has a newer version. */
export const isVersionConflict = (problem: KitError | null): boolean =>
  problem?.code === 'documents.version_conflict'

/** Returns whether an entry can be edited. Items of a catalog have no status. */
export const isDraft = (entry: Entry): boolean => statusOf(entry) === draft

const draft = 'Draft'
const statusOf = (entry: Entry): string => ('status' in entry ? entry.status : draft)

/** Returns what another version has changed. A value of a line that only one version has is `—` in the other. */
export function changesBy(theirs: Entry, { base, mine, editor, desk }: ChangedForm): readonly ChangedFact[] {
  const textsOf = (values: FormValues, status = draft) =>
    new Map([
      ['Status', status],
      ...editor.factsOf(values, desk).map(({ label, text }) => [label, text] as const),
    ])
  const before = textsOf(base)
  const own = textsOf(mine)
  const now = textsOf(editor.valuesOf(theirs), statusOf(theirs))
  const textIn = (texts: ReadonlyMap<string, string>, label: string) => texts.get(label) ?? '—'
  return [...new Set([...before.keys(), ...now.keys()])]
    .map((label) => ({
      label,
      base: textIn(before, label),
      mine: textIn(own, label),
      theirs: textIn(now, label),
    }))
    .filter((fact) => fact.base !== fact.theirs)
    .map((fact) => ({ ...fact, mine: [fact.base, fact.theirs].includes(fact.mine) ? null : fact.mine }))
}

/** Renders the notice of a version conflict. The form keeps its values until the user chooses a button. */
export function versionConflict(conflict: VersionConflict): TemplateResult {
  const { one, isDirty, editor, changes, load, keep, isSaving, isRefused } = conflict
  const mustChooseLines = isDirty && keep !== null && conflict.mustChooseLines
  // A disabled button would lose the focus.
  const choice = (label: string, choose: () => void) =>
    html`<button type="button" class="button small" aria-disabled=${isSaving} @click=${() => isSaving || choose()}>
      ${label}
    </button>`
  return html`<div class="notice stack conflict" role="alert">
    <p>
      ${
        editor?.isReader
          ? html`You saved another version of this ${one} after you opened it, here or in another window.`
          : html`<bdi>${editor?.displayName ?? 'Someone else'}</bdi> changed this ${one} after you opened it.`
      }
      ${isRefused ? 'Nothing was saved or deleted.' : ''}
      ${isDirty ? 'Your changes are still in the form.' : ''}
    </p>
    ${changes.length === 0 ? nothing : html`<ul aria-label="Changes">${changes.map(changeItem)}</ul>`}
    ${mustChooseLines ? html`<p>Both versions change the lines, and these changes cannot be combined. Choose the lines.</p>` : nothing}
    <div class="row">
      ${
        isDirty && keep !== null
          ? choice(
              mustChooseLines
                ? 'Keep my lines, and load the other changes'
                : 'Keep my changes, and load the other ones',
              () => keep(mustChooseLines ? 'mine' : undefined),
            )
          : nothing
      }
      ${mustChooseLines ? choice('Load the other lines, and keep my other changes', () => keep('theirs')) : nothing}
      ${choice(isDirty ? 'Discard my changes and load the current version' : 'Load the current version', load)}
    </div>
  </div>`
}

const changeItem = ({ label, base, mine, theirs }: ChangedFact): TemplateResult => html`<li>
  ${label}: <strong><bdi>${theirs}</bdi></strong> (before: <bdi>${base}</bdi>${mine === null ? nothing : html`; in the form: <bdi>${mine}</bdi>`})
</li>`
