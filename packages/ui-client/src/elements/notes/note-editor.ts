import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { ref } from 'lit/directives/ref.js'
import { withNames, withTokens } from '../../stores/mention-text.ts'
import { type NoteEditor, type NoteKey, type NotesStore, newNote } from '../../stores/notes.ts'
import type { Mention, Note } from '../../wire/notes.ts'
import { isolated } from '../parts/format.ts'
import { errorText, type Texts, type TextsOf } from '../texts.ts'
import type { MentionPicker } from './mention-picker.ts'

export interface NoteEditorInput {
  readonly store: NotesStore
  readonly texts: TextsOf<'notes'>
  readonly key: NoteKey
  /** The note in the loaded list. It is null for a new note, or if the list does not contain the note. */
  readonly note: Note | null
  readonly picker: MentionPicker
  /** The limit of the service, in Unicode code points. */
  readonly maxChars: number
  /** Called with the result of each attempt to save the note. */
  readonly saved: (saving: Promise<Note | null>) => void
}

const blank: NoteEditor = { status: 'editing', text: '' }

/** Renders the editor of a note in each of its states. Ctrl+Enter (⌘+Enter) saves. */
export function noteEditor(input: NoteEditorInput): TemplateResult {
  const { store, key, note, picker } = input
  const { notes } = input.texts
  const editor = store.$editors.get().get(key) ?? blank
  const isSaving = editor.status === 'saving'
  const isBlank = editor.text.trim() === ''
  const save = () => input.saved(store.save(key))
  const names = store.$names.get()
  const ids = picker.idsFor(key)
  let textarea: HTMLTextAreaElement | null = null
  const pick = (field: HTMLTextAreaElement | null) => (user: Mention, start: number) => {
    if (field !== null) pickUser({ store, key, picker }, field, { user, start })
  }
  const fieldOf = (event: Event) => event.currentTarget as HTMLTextAreaElement
  const onKey = (event: KeyboardEvent) => {
    if (picker.press(event, pick(fieldOf(event)))) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
  }
  return html`<div part="form" class="stack" data-editor=${key}>
    ${conflict(editor, notes, names)}
    <label>
      ${labelOf(editor, key, note, notes)}
      <textarea
        part="field"
        dir="auto"
        data-key=${key}
        rows="3"
        placeholder=${notes.placeholder}
        aria-autocomplete="list"
        aria-controls=${ids.list}
        aria-activedescendant=${ids.option}
        .value=${live(withNames(editor.text, names))}
        ?readonly=${isSaving}
        @input=${(event: InputEvent) => write(store, key, event, picker)}
        @keydown=${onKey}
        @blur=${() => picker.close()}
        ${ref((field) => {
          textarea = (field as HTMLTextAreaElement | undefined) ?? null
        })}
      ></textarea>
    </label>
    ${remaining(editor.text, input)}
    ${picker.render(key, notes, (user, start) => pick(textarea)(user, start))}
    ${
      editor.status === 'failed'
        ? html`<div part="error" class="banner" role="alert"><span>${errorText(editor.error)}</span></div>`
        : nothing
    }
    ${
      key === newNote && editor.text === ''
        ? nothing
        : html`<div class="row end">
            <button part="button" class="small" ?disabled=${isSaving} @click=${() => store.discard(key)}>
              ${editor.status === 'conflict' ? notes.takeTheirs : notes.discard}
            </button>
            ${
              editor.status === 'conflict'
                ? html`<button part="button button-primary" class="small primary" @click=${() => input.saved(store.keepMine(key))}>
                    ${editor.theirs === null ? notes.keepAsNew : notes.keepMine}
                  </button>`
                : html`<button part="button button-primary" class="small primary" ?disabled=${isSaving || isBlank} @click=${save}>
                    ${isSaving ? notes.saving : key === newNote ? notes.add : notes.save}
                  </button>`
            }
          </div>`
    }
  </div>`
}

/** Renders how many characters remain, near the limit. The service decides about the limit. */
function remaining(
  text: string,
  { maxChars, texts }: Pick<NoteEditorInput, 'maxChars' | 'texts'>,
): TemplateResult {
  const count = maxChars - [...text.trim()].length
  return html`<p class="small ${count < 0 ? 'wrong' : 'muted'}" role="status" ?hidden=${count > maxChars / 20}>
    ${count > maxChars / 20 ? nothing : texts.notes.remaining(count)}
  </p>`
}

function labelOf(editor: NoteEditor, key: NoteKey, note: Note | null, notes: Texts['notes']): string {
  if (key === newNote) return notes.newNote
  return editor.status === 'conflict' || note === null
    ? notes.mine
    : notes.editOf(isolated(note.createdByDisplayName))
}

function write(store: NotesStore, key: NoteKey, event: InputEvent, picker: MentionPicker): void {
  const field = event.target as HTMLTextAreaElement
  // If the user deletes all text of a new note, discard the draft.
  if (key === newNote && field.value === '') store.discard(key)
  else store.write(key, withTokens(field.value, store.$names.get()))
  void picker.follow(store, key, field)
}

/** Replaces the unfinished mention with the name of a user. */
function pickUser(
  { store, key, picker }: Pick<NoteEditorInput, 'store' | 'key' | 'picker'>,
  field: HTMLTextAreaElement,
  { user, start }: { readonly user: Mention; readonly start: number },
): void {
  store.learnName(user)
  const name = store.$names.get().get(user.userId) ?? user.displayName
  field.setRangeText(`@${name} `, start, field.selectionStart, 'end')
  store.write(key, withTokens(field.value, store.$names.get()))
  picker.close()
  field.focus()
}

function conflict(
  editor: NoteEditor,
  notes: Texts['notes'],
  names: ReadonlyMap<string, string>,
): TemplateResult | typeof nothing {
  if (editor.status !== 'conflict') return nothing
  const { theirs } = editor
  return html`<div part="notice" class="banner warning" role="alert">
      <span>${theirs === null ? notes.deletedTitle : notes.conflictTitle}</span>
    </div>
    ${
      theirs === null
        ? nothing
        : html`<div class="theirs">
            <p class="small muted">${notes.theirs(isolated(theirs.updatedByDisplayName))}</p>
            <p part="text" class="text" dir="auto">${withNames(theirs.text, names)}</p>
          </div>`
    }`
}
