import { adoptStyles, html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit'
import type { Session } from '../../session/session.ts'
import { replaceTokens, withNames, withTokens } from '../../stores/mention-text.ts'
import { type NoteEditor, type NoteKey, type NotesStore, newNote } from '../../stores/notes.ts'
import type { Mention } from '../../wire/notes.ts'
import { isolated } from '../parts/format.ts'
import { errorText, textsOf } from '../texts.ts'
import { MentionPicker, type MentionPlace } from './mention-picker.ts'
import type { NoteEditorInput } from './note-editor.ts'
import { noteToolsEnglish } from './tool-texts.ts'
import { toolsStyle } from './tools-style.ts'

/** The tools around the text field of one editor. */
export interface EditorTools {
  /** The ids of the list of users and of the selected user. */
  readonly ids: ReturnType<MentionPicker['idsFor']>
  /** Handles a key for the list of users. Returns whether the key was for the list. */
  press(event: KeyboardEvent): boolean
  /** Closes the list of users. */
  close(): void
  /** Renders the version of the other user after a conflict. */
  conflict(): TemplateResult | typeof nothing
  /** Renders how many characters remain, the list of users, and why the note was not saved. */
  hints(): TemplateResult
  buttons(): TemplateResult
}

/** The tools of all editors of a panel. The panel loads them with the first edit, or when the browser is idle. */
export interface NoteTools {
  of(input: NoteEditorInput, editor: NoteEditor): EditorTools
  /** Looks for an unfinished mention before the cursor, and opens, changes or closes the list of users. */
  follow(store: NotesStore, key: NoteKey, field: HTMLTextAreaElement): Promise<void>
  /** Closes the list of users. */
  close(): void
}

const toolTexts = () => textsOf(noteToolsEnglish).notes

/** The panel with the editors. */
type Panel = ReactiveControllerHost & {
  readonly session: Session | undefined
  readonly shadowRoot: ShadowRoot | null
}

/** Opens the tools of a panel, and adds their styles to it. */
export function openNoteTools(panel: Panel): NoteTools {
  const { shadowRoot } = panel
  if (shadowRoot !== null) adoptStyles(shadowRoot, [...shadowRoot.adoptedStyleSheets, toolsStyle])
  const picker = new MentionPicker(panel)
  return {
    follow: (...place) => picker.follow(...place),
    close: () => picker.close(),
    of(input, editor) {
      const { store, key } = input
      const pick = (user: Mention, place: MentionPlace) => {
        panel.session?.drafts.texts.set(nameKey(user.userId), user.displayName)
        pickUser(input, picker, { user, place })
      }
      learnNames(editor.text, store, panel.session)
      return {
        ids: picker.idsFor(key),
        press: (event) => picker.press(event, pick),
        close: () => picker.close(),
        conflict: () => conflict(editor, store.$names.get()),
        hints: () => html`${remaining(editor.text, input)} ${picker.render(key, pick)}
          ${
            editor.status === 'failed'
              ? html`<div part="error" class="banner" role="alert"><span>${errorText(editor.error)}</span></div>`
              : nothing
          }`,
        buttons: () => buttons(editor, input),
      }
    },
  }
}

/** The key under which the drafts keep the name of a mentioned user. The text of a note contains only the id. */
const nameKey = (userId: string): string => `mention/${userId}`

/** Adds the names of the users that a draft from an earlier panel mentions. */
function learnNames(text: string, store: NotesStore, session: Session | undefined): void {
  replaceTokens(text, (userId) => {
    const displayName = store.$names.get().has(userId) ? null : session?.drafts.texts.get(nameKey(userId))
    // The store must not change while the panel renders.
    if (displayName != null) queueMicrotask(() => store.learnName({ userId, displayName }))
    return undefined
  })
}

/** Renders how many characters remain, near the limit. The service decides about the limit. */
function remaining(text: string, { maxChars }: Pick<NoteEditorInput, 'maxChars'>): TemplateResult {
  const count = maxChars - [...text.trim()].length
  return html`<p class="small ${count < 0 ? 'wrong' : 'muted'}" role="status" ?hidden=${count > maxChars / 20}>
    ${count > maxChars / 20 ? nothing : toolTexts().remaining(count)}
  </p>`
}

function buttons(editor: NoteEditor, { store, key, saved }: NoteEditorInput): TemplateResult {
  const notes = toolTexts()
  const isSaving = editor.status === 'saving'
  const isBlank = editor.text.trim() === ''
  return html`<button part="button" class="small" ?disabled=${isSaving} @click=${() => store.discard(key)}>
      ${editor.status === 'conflict' ? notes.takeTheirs : notes.discard}
    </button>
    ${
      editor.status === 'conflict'
        ? html`<button part="button button-primary" class="small primary" @click=${() => saved(store.keepMine(key))}>
            ${editor.theirs === null ? notes.keepAsNew : notes.keepMine}
          </button>`
        : html`<button part="button button-primary" class="small primary" ?disabled=${isSaving || isBlank} @click=${() => saved(store.save(key))}>
            ${isSaving ? notes.saving : key === newNote ? notes.add : notes.save}
          </button>`
    }`
}

/** Replaces the unfinished mention with the name of a user. */
function pickUser(
  { store, key }: NoteEditorInput,
  picker: MentionPicker,
  { user, place }: { readonly user: Mention; readonly place: MentionPlace },
): void {
  const { field } = picker
  if (field === null) return
  store.learnName(user)
  const name = store.$names.get().get(user.userId) ?? user.displayName
  field.setRangeText(`@${name} `, place.start, place.end, 'end')
  store.write(key, withTokens(field.value, store.$names.get()))
  picker.close()
  field.focus()
}

function conflict(editor: NoteEditor, names: ReadonlyMap<string, string>): TemplateResult | typeof nothing {
  if (editor.status !== 'conflict') return nothing
  const { theirs } = editor
  const notes = toolTexts()
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
