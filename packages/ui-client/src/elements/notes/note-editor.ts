import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { withNames, withTokens } from '../../stores/mention-text.ts'
import { type NoteEditor, type NoteKey, type NotesStore, newNote } from '../../stores/notes.ts'
import type { Note } from '../../wire/notes.ts'
import { isolated } from '../parts/format.ts'
import type { NeededPart } from '../parts/needed-part.ts'
import type { TextsOf } from '../texts.ts'
import type { NoteTools } from './note-tools.ts'

export interface NoteEditorInput {
  readonly store: NotesStore
  readonly texts: TextsOf<'notes'>
  readonly key: NoteKey
  /** The note in the loaded list. It is null for a new note, or if the list does not contain the note. */
  readonly note: Note | null
  readonly tools: NeededPart<NoteTools>
  /** The limit of the service, in Unicode code points. */
  readonly maxChars: number
  /** Called with the result of each attempt to save the note. */
  readonly saved: (saving: Promise<Note | null>) => void
}

const blank: NoteEditor = { status: 'editing', text: '' }

/**
 * Renders the editor of a note in each of its states. Ctrl+Enter (⌘+Enter) saves. The text field works before its tools are
 * loaded, and stays the same element afterwards, so the user's text and cursor stay.
 */
export function noteEditor(input: NoteEditorInput): TemplateResult {
  const { store, key, note } = input
  const { notes } = input.texts
  const editor = store.$editors.get().get(key) ?? blank
  const isSaving = editor.status === 'saving'
  const tools = input.tools.get()?.of(input, editor)
  const onKey = (event: KeyboardEvent) => {
    if (tools?.press(event) === true) return
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    tools?.close()
    input.saved(store.save(key))
  }
  return html`<div part="form" class="stack" data-editor=${key}>
    ${tools?.conflict()}
    <label>
      ${labelOf(editor, key, note, input.texts)}
      <textarea
        part="field"
        dir="auto"
        data-key=${key}
        rows="3"
        placeholder=${notes.placeholder}
        aria-autocomplete="list"
        aria-controls=${tools?.ids.list ?? nothing}
        aria-activedescendant=${tools?.ids.option ?? nothing}
        .value=${live(withNames(editor.text, store.$names.get()))}
        ?readonly=${isSaving}
        @input=${(event: InputEvent) => void write(input, event.target as HTMLTextAreaElement)}
        @keydown=${onKey}
        @blur=${() => tools?.close()}
      ></textarea>
    </label>
    ${tools?.hints()}
    ${
      key === newNote && editor.text === ''
        ? nothing
        : html`<div class="row end buttons">${input.tools.show((all) => all.of(input, editor).buttons())}</div>`
    }
  </div>`
}

function labelOf(editor: NoteEditor, key: NoteKey, note: Note | null, { notes }: TextsOf<'notes'>): string {
  if (key === newNote) return notes.newNote
  return editor.status === 'conflict' || note === null
    ? notes.mine
    : notes.editOf(isolated(note.createdByDisplayName))
}

async function write({ store, key, tools }: NoteEditorInput, field: HTMLTextAreaElement): Promise<void> {
  // If the user deletes all text of a new note, discard the draft.
  if (key === newNote && field.value === '') store.discard(key)
  else store.write(key, withTokens(field.value, store.$names.get()))
  await (await tools.need())?.follow(store, key, field)
}
