import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { type FeaturesStore, featuresStore } from '../../stores/features.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { type NotesStore, newNote, notesStore } from '../../stores/notes.ts'
import type { ListState } from '../../stores/paged-list.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import type { Note } from '../../wire/notes.ts'
import { type ElementProperties, optional } from '../element-property.ts'
import { isOtherTarget } from '../is-other-target.ts'
import { reportFailure } from '../parts/failed-deletion.ts'
import { listBody } from '../parts/list-body.ts'
import { loadFailure, rightsFailure } from '../parts/load-failure.ts'
import { partOf } from '../parts/needed-part.ts'
import { keepTimesCurrent } from '../parts/relative-times.ts'
import { StoreElement, statesOf } from '../store-element.ts'
import { noteEditor } from './note-editor.ts'
import { noteRow } from './note-row.ts'
import { notesSearch } from './notes-search.ts'
import { notesStyle } from './notes-style.ts'
import { notesEnglish } from './texts.ts'

const noteTools = onDemand(() => import('./note-tools.ts'))
const foundNotes = onDemand(() => import('./found-notes.ts'))

/**
 * Lists, adds, edits and deletes the notes of one object. The user's text survives conflicts, failures and reloads
 * until the user saves or discards the text. Notes are shown as plain text, never as markup, with mentions and links.
 * Renders nothing if notes are disabled.
 *
 * @tag vk-notes
 * @attr {boolean} autofocus - Moves the focus to the text field of a new note.
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<NavigationTarget>} vk-navigate - The user opens a link to an object.
 * @slot heading - A heading above the content.
 * @slot empty - Replaces the text of an empty list.
 * @csspart button - Each button.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart form - The form in which the user enters something.
 * @csspart heading - Each heading.
 * @csspart link - Each link, and each button that looks like a link.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart mention - The name of a mentioned user.
 * @csspart menu - The list of users for a mention.
 * @csspart notice - A message that is no error.
 * @csspart row - Each row.
 * @csspart row-actions - The buttons of a row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart text - The text of a note.
 * @csspart toolbar - Search, filters, order and buttons for the whole list.
 */
export class NotesPanel extends StoreElement<NotesStore, 'notes'> {
  static override styles = [StoreElement.styles, notesStyle]
  static override properties: ElementProperties = {
    target: { attribute: false, hasChanged: isOtherTarget, accept: optional },
    maxChars: { attribute: 'max-chars', accept: (chars) => Number(chars) || 10_000 },
    query: { attribute: false, state: true },
    expanded: { attribute: false, state: true },
  }
  /** The object with the notes. */
  declare target: BusinessObjectReference | undefined
  /**
   * The deployment's limit of a note, if it has changed `Notes__MaxTextLength`. Default: 10,000.
   *
   * @default 10_000
   */
  declare maxChars: number
  /** The text that the user searches for. */
  declare protected query: string
  /** The ids of long notes that are shown in full. */
  declare protected expanded: ReadonlySet<string>
  protected override readonly english = notesEnglish
  protected readonly storeProperties = ['session', 'target']
  #access: AccessStore | null = null
  #features: FeaturesStore | null = null
  /** The key of the editor that last contained the focus. */
  #focusedKey: string | null = null
  readonly #tools = partOf(this, noteTools, ({ openNoteTools }) => openNoteTools(this))
  readonly #found = partOf(this, foundNotes, (module) => module)
  #isFocusWanted = false

  constructor() {
    super()
    this.query = ''
    this.expanded = new Set()
    keepTimesCurrent(this)
  }

  /** Moves the focus to the text field of a new note, as soon as the field is shown. */
  override focus(): void {
    this.#isFocusWanted = true
    this.requestUpdate()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    if (this.hasAttribute('autofocus')) this.focus()
  }

  protected openStore(session: Session): NotesStore | null {
    this.#tools.get()?.close()
    this.#focusedKey = null
    this.query = ''
    this.expanded = new Set()
    if (this.target === undefined) return null
    this.#features = featuresStore(session)
    this.#access = accessStore(session)
    void this.#features.load()
    void this.#access.load()
    return notesStore(session, this.target)
  }

  protected atomsOf({ $list, $editors, $deletions, $names }: NotesStore): readonly ReadableAtom<unknown>[] {
    return [$list, $editors, $deletions, $names, ...statesOf(this.#access, this.#features)]
  }

  /** Loads the notes as soon as they are known to be enabled. */
  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (this.store?.$list.get().status === 'idle' && this.#isEnabled) void this.store.load()
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    const features = this.#features?.$state.get()
    if (store !== null && features?.status === 'failed')
      return loadFailure(features.error, () => this.#features?.load())
    if (store === null || !this.#isEnabled) return nothing
    return html`
      <section class="stack" aria-label=${texts.notes.title} @focusin=${this.#noticeFocus}>
        <slot name="heading"></slot>
        ${rightsFailure(this.#access)}
        ${this.#may('create') ? this.#editor(newNote, null) : nothing}
        ${this.#strayEditors(store)}
        ${this.#searchField(store)}
        ${listBody({
          list: this.#shownList(store),
          label: texts.notes.title,
          row: (note) => this.#row(store, note),
          empty:
            this.query === ''
              ? html`<p>${texts.notes.empty}</p><p class="small">${texts.notes.emptyHint}</p>`
              : html`<p>${texts.notes.noneFound}</p>`,
          isFiltered: this.query !== '',
          load: () => {
            void this.#access?.load()
            void store.load()
          },
          loadMore: () => void store.loadMore(),
        })}
      </section>
    `
  }

  get #isEnabled(): boolean {
    return this.#features?.isEnabled('Notes') === true
  }

  /** Expands or collapses a long note. */
  #toggle(id: string): void {
    const others = [...this.expanded].filter((one) => one !== id)
    this.expanded = new Set(this.expanded.has(id) ? others : [...others, id])
  }

  #searchField(store: NotesStore): TemplateResult | typeof nothing {
    const search = (query: string) => void this.#search(store, query)
    return notesSearch({ store, query: this.query, texts: this.texts.notes, found: this.#found, search })
  }

  async #search(store: NotesStore, query: string): Promise<void> {
    this.query = query
    const found = await this.#found.need()
    await found?.searchOlder(store, query, () => this.store === store && this.query === query)
  }

  #may(action: 'create' | 'update' | 'delete'): boolean {
    return this.#access?.may(`system.notes.${action}`) ?? false
  }

  #row(store: NotesStore, note: Note): TemplateResult {
    return noteRow({
      ...{ note, texts: this.texts, deletion: store.$deletions.get().get(note.id) },
      editor: store.$editors.get().has(note.id) ? this.#editor(note.id, note) : null,
      isExpanded: this.expanded.has(note.id),
      toggle: () => this.#toggle(note.id),
      linkTo: (target, text) => this.linkTo(target, text),
      edit: this.#may('update') ? () => void this.#edit(note) : null,
      delete: this.#may('delete') ? () => void this.#delete(note) : null,
    })
  }

  #shownList(store: NotesStore): ListState<Note> {
    return this.#found.get()?.foundNotes(store, this.query) ?? store.$list.get()
  }

  /** Renders the editors of notes that are not shown: deleted notes, notes on later pages, or notes that a search leaves out. */
  #strayEditors(store: NotesStore): readonly TemplateResult[] {
    const shown = new Set<string>([newNote, ...this.#shownList(store).items.map(({ id }) => id)])
    return [...store.$editors.get().keys()]
      .filter((key) => !shown.has(key))
      .map((key) => this.#editor(key, null))
  }

  #editor(key: string, note: Note | null): TemplateResult {
    const { store, texts } = this
    if (store === null) return html``
    const saved = (saving: Promise<Note | null>) => void this.#reportSaved(saving)
    const { maxChars } = this
    return noteEditor({ store, texts, key, note, tools: this.#tools, maxChars, saved })
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
    const field = this.#isFocusWanted ? this.#find(`textarea[data-key="${newNote}"]`) : null
    if (field !== null) {
      this.#isFocusWanted = false
      field.focus()
    }
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

  async #reportSaved(saving: Promise<Note | null>): Promise<void> {
    const { session, store, texts } = this
    const note = await saving
    if (session === undefined) return
    if (note === null) {
      const isLeft = store !== null && !this.shows(store) && !session.signal.aborted
      if (isLeft) feedbackStore(session).announce({ text: texts.notes.notSaved, tone: 'failure' })
      return
    }
    const kind = note.version === 1 ? 'noteAdded' : 'noteEdited'
    this.report(session, { kind, target: note.target, note }, { text: texts.notes.saved })
  }

  async #delete(note: Note): Promise<void> {
    const { session, store, texts } = this
    if (store === null || session === undefined) return
    const deletion = store.delete(note)
    const { countdown, undo } = deletion
    const message = { text: texts.notes.deleted, undo, countdown }
    this.report(session, { kind: 'noteDeleted', target: note.target, note }, message)
    void reportFailure(session, deletion, {
      text: texts.notes.notDeleted,
      isRowShown: () => this.shows(store),
    })
    await this.updateComplete
    if (document.activeElement === document.body) this.#focusNote(note.id)
  }
}
