import { html, nothing, type TemplateResult } from 'lit'
import type { VersionedEntry } from '../data/opened-entry.ts'
import { type Form, type FormValues, hasInput } from '../form/form.ts'
import { messageOf } from '../format.ts'
import { isVersionConflict, type VersionConflict, versionConflict } from './version-conflict.ts'

/** The form of an entry, with its buttons. */
interface EntryForm {
  readonly form: Form<FormValues>
  readonly fields: TemplateResult
  /** Null for a new entry. */
  readonly shown: VersionedEntry | null
  /** The place to which a new entry returns the user. */
  readonly cancelPath: string
  /** Null unless the entry has a newer version than the form. */
  readonly conflict: VersionConflict | null
  readonly mayPost: boolean
  readonly mayDelete: boolean
  /** Saves the entry. The button with the name `post` also posts it. */
  readonly save: (event: SubmitEvent) => void
  readonly discard: () => void
  readonly remove: () => void
}

/** Returns the path of the invoice from which the user opened a new payment, or null. */
export function cancelPathOf(search: string): string | null {
  const invoice = new URLSearchParams(search).get('invoice')
  return invoice === null ? null : `/sales-invoices/${encodeURIComponent(invoice)}`
}

/** Renders the form of a new entry or a draft. */
export function entryForm(options: EntryForm): TemplateResult {
  const { form, fields, shown, conflict, save, discard, remove } = options
  const { isSaving, problem, typing } = form.$state.get()
  const isChanged = hasInput(form.$state.get())
  const saveLabel = shown === null ? 'Create' : 'Save'
  const hasNothingToSave = isSaving || (shown !== null && !isChanged)
  // A picker loses its typed text with the focus. The submission needs the text, and a lost text can move the buttons.
  const keepFocus = (event: Event) => typing.size > 0 && event.preventDefault()
  return html`<form class="card" novalidate @submit=${save}>
    ${fields}
    <div class="form-foot" @mousedown=${keepFocus}>
      <button class="button primary" ?disabled=${hasNothingToSave} aria-keyshortcuts="Control+S Meta+S" title="Ctrl+S">
        ${isSaving ? 'Saving…' : saveLabel}
      </button>
      ${
        options.mayPost && (shown === null || isChanged)
          ? html`<button class="button" name="post" ?disabled=${isSaving}>${saveLabel} and post</button>`
          : nothing
      }
      ${
        shown !== null && isChanged && conflict === null
          ? html`<button type="button" class="button" ?disabled=${isSaving} @click=${discard}>Discard changes</button>`
          : nothing
      }
      ${shown === null ? html`<a class="button quiet" href=${options.cancelPath}>Cancel</a>` : nothing}
      <span class="grow"></span>
      ${
        options.mayDelete
          ? html`<button type="button" class="button danger" ?disabled=${isSaving} @click=${remove}>Delete</button>`
          : nothing
      }
    </div>
    ${conflict === null ? nothing : versionConflict(conflict)}
    ${problem === null || isVersionConflict(problem) ? nothing : html`<p class="notice bad" role="alert">${messageOf(problem)}</p>`}
  </form>`
}
