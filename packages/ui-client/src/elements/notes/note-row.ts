import { html, nothing, type TemplateResult } from 'lit'
import type { DeletionState } from '../../stores/deletions.ts'
import type { Note } from '../../wire/notes.ts'
import { isolated, timeOf } from '../parts/format.ts'
import { pencilIcon, trashIcon } from '../parts/icons.ts'
import { singleClick } from '../parts/single-click.ts'
import { errorText, type TextsOf } from '../texts.ts'
import { type LinkTo, noteText } from './note-text.ts'

export interface NoteRow {
  readonly note: Note
  readonly texts: TextsOf<'notes'>
  /** The open editor of the note, which replaces its text and buttons. */
  readonly editor: TemplateResult | null
  readonly deletion: DeletionState | undefined
  readonly isExpanded: boolean
  /** Expands or collapses a long note. */
  readonly toggle: () => void
  readonly linkTo: LinkTo
  /** The actions are null if the user has no permission for them. */
  readonly edit: (() => void) | null
  readonly delete: (() => void) | null
}

/** Renders a note with its author, its time, and its text or editor. */
export function noteRow(row: NoteRow): TemplateResult {
  const { note, texts, editor, deletion, isExpanded, toggle, linkTo } = row
  return html`<li part="row" class="stack">
    <div class="row">
      <div class="grow">
        <bdi part="row-title" class="author">${note.createdByDisplayName}</bdi>
        <span part="row-details" class="muted small">
          ${timeOf(note.createdAtUtc)}
          ${note.version > 1 ? html` · ${editedBy(note, texts)} ${timeOf(note.updatedAtUtc)}` : nothing}
        </span>
      </div>
      ${editor === null ? buttons(row) : nothing}
    </div>
    ${editor ?? noteText({ note, texts: texts.notes, isExpanded, toggle, linkTo })}
    ${
      deletion?.status === 'failed'
        ? html`<div part="error" class="banner" role="alert"><span>${errorText(deletion.error)}</span></div>`
        : nothing
    }
  </li>`
}

function buttons(row: NoteRow): TemplateResult | typeof nothing {
  const { note, texts, edit, delete: remove } = row
  const { notes, common } = texts
  const author = note.createdByDisplayName
  if (edit === null && remove === null) return nothing
  return html`<div part="row-actions" class="row">
    ${
      edit === null
        ? nothing
        : html`<button
          part="button"
          class="quiet small"
          data-edit=${note.id}
          aria-label=${notes.editOf(author)}
          title=${notes.edit}
          @click=${edit}
        >
          ${pencilIcon}
        </button>`
    }${
      remove === null
        ? nothing
        : html`<button
          part="button"
          class="quiet small"
          aria-label=${notes.deleteOf(author)}
          title=${common.delete}
          @click=${singleClick(remove)}
        >
          ${trashIcon}
        </button>`
    }</div>`
}

/** Names the last editor only if it is not the author. */
const editedBy = (note: Note, { notes }: TextsOf<'notes'>): string =>
  note.updatedByUserId === note.createdByUserId
    ? notes.edited
    : notes.editedBy(isolated(note.updatedByDisplayName))
