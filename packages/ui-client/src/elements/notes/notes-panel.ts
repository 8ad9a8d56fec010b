import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { type FeaturesStore, featuresStore } from '../../stores/features.ts'
import { type NoteEditor, type NotesStore, newNote, notesStore } from '../../stores/notes.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import type { Note } from '../../wire/notes.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { isolated, timeOf } from '../parts/format.ts'
import { pencilIcon, trashIcon } from '../parts/icons.ts'
import { listBody } from '../parts/list-body.ts'
import { StoreElement } from '../store-element.ts'
import { targetProperty } from '../target-property.ts'
import { errorText, type Texts } from '../texts.ts'
import { MentionPicker } from './mention-picker.ts'
import { noteEditor } from './note-editor.ts'
import { noteText } from './note-text.ts'
import { notesStyle } from './notes-style.ts'

/**
 * `<vk-notes>`: lists, adds, edits and deletes the notes of one object. The user's text survives conflicts, failures and
 * reloads until the user saves or discards the text. Notes are shown as plain text, never as markup, with mentions and links.
 * Renders nothing if notes are disabled.
 *
 * Event: `vk-navigate` (detail: `NavigationTarget`) for a link to an object.
 */
export class NotesPanel extends StoreElement<NotesStore> {
  static override styles = [StoreElement.styles, notesStyle]
  static override properties: PropertyDeclarations = {
    target: targetProperty,
    deleteError: { attribute: false, state: true },
    announcement: { attribute: false, state: true },
  }
  /** The object with the notes. */
  declare target: BusinessObjectReference | undefined
  declare deleteError: KitError | null
  /** The latest change, which screen readers announce. */
  declare announcement: string
  protected readonly storeProperties = ['session', 'target']
  #access: AccessStore | null = null
  #features: FeaturesStore | null = null
  #saving: readonly string[] = []
  /** The key of the editor that last contained the focus. */
  #focusedKey: string | null = null
  readonly #picker = new MentionPicker(this)

  constructor() {
    super()
    this.deleteError = null
    this.announcement = ''
  }

  protected openStore(session: Session): NotesStore | null {
    // Open dialogs and errors belong to the previous object or user.
    this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.withdraw()
    this.deleteError = null
    this.announcement = ''
    this.#saving = []
    this.#focusedKey = null
    if (this.target === undefined) return null
    const features = featuresStore(session)
    this.#features = features
    this.#access = accessStore(session)
    void this.#access.load()
    const store = notesStore(session, this.target)
    void features.load().then(() => {
      if (features.isEnabled('Notes')) void store.load()
    })
    return store
  }

  protected atomsOf(store: NotesStore): readonly ReadableAtom<unknown>[] {
    const rights = [this.#access, this.#features].flatMap((one) => (one === null ? [] : [one.$state]))
    return [store.$list, store.$editors, store.$names, ...rights]
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    const editors = this.store?.$editors.get() ?? new Map<string, NoteEditor>()
    const saving = [...editors].filter(([, { status }]) => status === 'saving').map(([key]) => key)
    if (this.store !== null && this.#saving.some((key) => !editors.has(key)))
      this.announcement = this.texts.notes.saved
    else if (saving.length > 0) this.announcement = ''
    this.#saving = saving
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null || this.#features?.isEnabled('Notes') !== true) return nothing
    return html`
      <section class="stack" aria-label=${texts.notes.title} @focusin=${this.#noticeFocus}>
        ${this.#may('create') ? this.#editor(newNote, null) : nothing}
        ${this.#strayEditors(store)}
        ${
          this.deleteError === null
            ? nothing
            : html`<div class="banner" role="alert"><span>${errorText(this.deleteError)}</span></div>`
        }
        <p class="visually-hidden" role="status">${this.announcement}</p>
        ${listBody({
          list: store.$list.get(),
          label: texts.notes.title,
          row: (note) => this.#row(note),
          empty: html`<p>${texts.notes.empty}</p><p class="small">${texts.notes.emptyHint}</p>`,
          load: () => {
            void this.#access?.load()
            void store.load()
          },
          loadMore: () => void store.loadMore(),
        })}
      </section>
      <vk-ask-dialog></vk-ask-dialog>
    `
  }

  #may(action: 'create' | 'update' | 'delete'): boolean {
    return this.#access?.may(`system.notes.${action}`) ?? false
  }

  #row(note: Note): TemplateResult {
    const isEdited = note.version > 1
    return html`<li class="stack">
      <div class="row">
        <div class="grow">
          <bdi class="author">${note.createdByDisplayName}</bdi>
          <span class="muted small">
            ${timeOf(note.createdAtUtc)}
            ${isEdited ? html` · ${editedBy(note, this.texts.notes)} ${timeOf(note.updatedAtUtc)}` : nothing}
          </span>
        </div>
        ${this.#rowButtons(note)}
      </div>
      ${
        this.store?.$editors.get().has(note.id)
          ? this.#editor(note.id, note)
          : noteText(note, (target) => this.tell('vk-navigate', target))
      }
    </li>`
  }

  #rowButtons(note: Note): TemplateResult | typeof nothing {
    const { notes } = this.texts
    if (this.store?.$editors.get().has(note.id)) return nothing
    const author = note.createdByDisplayName
    return html`${
      this.#may('update')
        ? html`<button
            class="quiet small"
            data-edit=${note.id}
            aria-label=${notes.editOf(author)}
            title=${notes.edit}
            @click=${() => this.#edit(note)}
          >
            ${pencilIcon}
          </button>`
        : nothing
    }${
      this.#may('delete')
        ? html`<button
            class="quiet small"
            aria-label=${notes.deleteOf(author)}
            title=${this.texts.common.delete}
            @click=${() => void this.#delete(note)}
          >
            ${trashIcon}
          </button>`
        : nothing
    }`
  }

  /** Renders the editors of notes that are not in the loaded list: deleted notes, or notes on later pages. */
  #strayEditors(store: NotesStore): readonly TemplateResult[] {
    const shown = new Set<string>([newNote, ...store.$list.get().items.map(({ id }) => id)])
    return [...store.$editors.get().keys()]
      .filter((key) => !shown.has(key))
      .map((key) => this.#editor(key, null))
  }

  #editor(key: string, note: Note | null): TemplateResult {
    const { store, texts } = this
    if (store === null) return html``
    return noteEditor({ store, texts, key, note, picker: this.#picker })
  }

  async #edit(note: Note): Promise<void> {
    this.store?.write(note.id, note.text)
    await this.updateComplete
    this.#find(`textarea[data-key="${CSS.escape(note.id)}"]`)?.focus()
  }

  readonly #noticeFocus = (event: FocusEvent): void => {
    const target = event.target as HTMLElement
    this.#focusedKey = target.closest<HTMLElement>('[data-editor]')?.dataset['editor'] ?? null
  }

  /** Moves the focus from a closed editor to its note, so that keyboard users do not continue at the top of the page. */
  protected override updated(): void {
    const key = this.#focusedKey
    if (key === null || this.store?.$editors.get().has(key) === true) return
    this.#focusedKey = null
    if (document.activeElement === document.body) this.#focusNote(key)
  }

  #focusNote(id: string): void {
    const place =
      this.#find(`[data-edit="${CSS.escape(id)}"]`) ?? this.#find(`textarea[data-key="${newNote}"]`)
    place?.focus()
  }

  #find(selector: string): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>(selector)
  }

  async #delete(note: Note): Promise<void> {
    const { store, texts } = this
    const { notes, common } = texts
    const answer = await this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.ask({
      title: notes.confirmDelete,
      message: notes.confirmDeleteMessage,
      confirmLabel: common.delete,
      isDangerous: true,
    })
    // If the user or object changed while the dialog was open, do not delete with the new store.
    if (answer == null || store === null || this.store !== store) return
    const error = await store.delete(note)
    if (this.store !== store) return
    this.deleteError = error
    this.announcement = this.deleteError === null ? notes.deleted : ''
    await this.updateComplete
    if (document.activeElement === document.body) this.#focusNote(note.id)
  }
}

/** Names the last editor only if it is not the author. */
const editedBy = (note: Note, texts: Texts['notes']): string =>
  note.updatedByUserId === note.createdByUserId
    ? texts.edited
    : texts.editedBy(isolated(note.updatedByDisplayName))
