import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { type AttachmentsStore, attachmentsStore } from '../../stores/attachments.ts'
import { type FeaturesStore, featuresStore } from '../../stores/features.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import type { Attachment } from '../../wire/attachments.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import { type ElementProperties, optional } from '../element-property.ts'
import { isOtherTarget } from '../is-other-target.ts'
import type { Answer, AskDialog, Question } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { reportFailure } from '../parts/failed-deletion.ts'
import { isolated } from '../parts/format.ts'
import { listBody } from '../parts/list-body.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { partOf } from '../parts/needed-part.ts'
import { keepTimesCurrent } from '../parts/relative-times.ts'
import { StoreElement, statesOf } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { addFilesTo } from './add-files.ts'
import { attachmentRow } from './attachment-row.ts'
import { deleteFiles } from './delete-files.ts'
import { type FileDownloads, openDownloads } from './file-downloads.ts'
import { filesHead } from './files-head.ts'
import { type FilesView, filesIn, needsMore, plainView } from './files-view.ts'
import { deleteQuestion, sameNameQuestion } from './questions.ts'
import { type RowChoice, selectionAfter } from './selected-range.ts'
import { selectionBar } from './selection-bar.ts'
import { attachmentsStyle } from './style.ts'
import { attachmentsEnglish } from './texts.ts'

const uploadsList = onDemand(() => import('./uploads-list.ts'))
const zipProgress = onDemand(() => import('./zip-progress.ts'))

/**
 * Lists, uploads, downloads and deletes the files of one object, according to the user's permissions. Renders nothing
 * if attachments are disabled. Files are sent directly to the object store. The same user can resume an interrupted
 * upload, even after a reload.
 *
 * @tag vk-attachments
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<Attachment>} vk-open - The user clicks the name of a file. `preventDefault` prevents the download.
 * @slot heading - A heading above the content.
 * @slot empty - Replaces the text of an empty list.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart checkbox - Each checkbox and switch.
 * @csspart dialog - Each dialog.
 * @csspart drop-zone - The area that accepts files.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart link - Each link, and each button that looks like a link.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart notice - A message that is no error.
 * @csspart progress - Each progress bar.
 * @csspart row - Each row.
 * @csspart row-actions - The buttons of a row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart toolbar - Search, filters, order and buttons for the whole list.
 */
export class AttachmentsPanel extends StoreElement<AttachmentsStore, 'attachments'> {
  static override styles = [StoreElement.styles, attachmentsStyle]
  static override properties: ElementProperties = {
    target: { attribute: false, hasChanged: isOtherTarget, accept: optional },
    view: { attribute: false, state: true },
    selected: { attribute: false, state: true },
  }
  /** The object with the files. */
  declare target: BusinessObjectReference | undefined
  declare protected view: FilesView
  /** The ids of the selected files. */
  declare protected selected: ReadonlySet<string>
  protected override readonly english = attachmentsEnglish
  protected readonly storeProperties = ['session', 'target']
  #access: AccessStore | null = null
  #features: FeaturesStore | null = null
  #downloads: FileDownloads | null = null
  #add: (files: readonly File[]) => Promise<void> = async () => {}
  readonly #uploads = partOf(this, uploadsList, ({ openUploadsList }) => openUploadsList())
  readonly #zipProgress = partOf(this, zipProgress, (module) => module.zipProgress)
  #hadFocus = false
  /** The index of the file that the next update removes. */
  #focusIndex = 0
  /** The file that was last selected or deselected. */
  #anchor: string | null = null

  constructor() {
    super()
    this.view = plainView
    this.selected = new Set()
    keepTimesCurrent(this)
  }

  protected openStore(session: Session): AttachmentsStore | null {
    // The view and the selection belong to the previous object or user.
    this.view = plainView
    this.selected = new Set()
    this.#downloads?.cancel()
    this.#downloads = null
    if (this.target === undefined) return null
    this.#access = accessStore(session)
    this.#features = featuresStore(session)
    this.#loadRights()
    const store = attachmentsStore(session, this.target)
    this.#downloads = openDownloads(session, store, () => this.texts.attachments)
    this.#add = addFilesTo(
      store,
      async (files) => (await this.#ask(sameNameQuestion(files, this.texts))) !== null,
    )
    return store
  }

  readonly #loadRights = (): void => {
    void this.#access?.load()
    void this.#features?.load()
  }

  protected atomsOf(store: AttachmentsStore): readonly ReadableAtom<unknown>[] {
    const downloads = this.#downloads === null ? [] : [this.#downloads.$zip, this.#downloads.$failure]
    const others = statesOf(this.#access, this.#features)
    return [store.$list, store.$uploads, store.$arrived, store.$deletions, ...downloads, ...others]
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    // A page that moves the element removes and inserts it in one step.
    queueMicrotask(() => this.isConnected || this.#downloads?.cancel())
  }

  /** Loads the files as soon as the user may read them. */
  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (this.store?.$list.get().status === 'idle' && this.#may('read')) void this.store.load()
    this.#hadFocus = this.matches(':focus-within')
  }

  /** Loads the next page while the user searches or orders the files, because both apply to all loaded files. */
  protected override updated(): void {
    this.#keepFocus()
    if (this.store !== null && needsMore(this.view, this.store.$list.get())) void this.store.loadMore()
  }

  #may(action: 'read' | 'create' | 'delete'): boolean {
    const isEnabled = this.#features?.isEnabled('Attachments') === true
    return isEnabled && this.#access?.may(`system.attachments.${action}`) === true
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    for (const rights of [this.#features?.$state.get(), this.#access?.$state.get()])
      if (rights?.status === 'failed') return loadFailure(rights.error, this.#loadRights)
    if (!this.#may('read') && !this.#may('create')) return nothing
    const arrived = store.$arrived.get()
    const failure = this.#downloads?.$failure.get()
    return html`
      <section class="stack" aria-label=${texts.attachments.title}>
        <slot name="heading"></slot>
        ${
          this.#may('create')
            ? html`<vk-drop-zone exportparts="drop-zone, button, notice" 
                .texts=${texts.attachments}
                @vk-files=${(event: CustomEvent<readonly File[]>) => void this.#add(event.detail)}></vk-drop-zone>`
            : nothing
        }
        <p class="visually-hidden" role="status">
          ${arrived === null ? nothing : texts.attachments.arrived(arrived.fileName)}
        </p>
        ${store.$uploads.get().length === 0 ? nothing : this.#uploads.show((list) => list({ store, texts }))}
        ${
          failure
            ? html`<div part="error" class="banner" role="alert"><span>${errorText(failure)}</span></div>`
            : nothing
        }
        ${this.#files(store)}
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>
    `
  }

  /** Renders the list. Users without permission to read see only the files that they have just uploaded. */
  #files(store: AttachmentsStore): TemplateResult {
    const { attachments } = this.texts
    const list = store.$list.get()
    const shown = filesIn(this.view, list.items)
    const row = (file: Attachment) => this.#row(file, shown)
    if (!this.#may('read'))
      return html`<ul part="list" aria-label=${attachments.title}>${list.items.map(row)}</ul>`
    const empty = list.items.length === 0 ? attachments.empty : attachments.noMatch
    return html`
      ${filesHead({
        list,
        shown,
        view: this.view,
        texts: attachments,
        change: (view) => {
          this.view = view
        },
      })}
      ${selectionBar({
        shown,
        chosen: shown.filter(({ id }) => this.selected.has(id)),
        texts: attachments,
        download: (files) => (files === null ? this.#downloads?.startAll(this.view) : this.#download(files)),
        delete: this.#may('delete') ? (files) => void this.#delete(files) : null,
        select: (files) => {
          this.selected = new Set(files.map(({ id }) => id))
        },
      })}
      ${this.#zipState()}
      ${listBody({
        list: { ...list, items: shown },
        label: attachments.title,
        row,
        empty: html`<p>${empty}</p>`,
        isFiltered: list.items.length > 0,
        load: () => void store.load(),
        loadMore: () => void store.loadMore(),
      })}
    `
  }

  #zipState(): unknown {
    const state = this.#downloads?.$zip.get()
    if (state === undefined || state.status === 'idle') return nothing
    return this.#zipProgress.show((show) =>
      show({
        state,
        again: (files) => this.#download(files),
        cancel: () => this.#downloads?.cancel(),
      }),
    )
  }

  #row(file: Attachment, shown: readonly Attachment[]): TemplateResult {
    const select = (choice: RowChoice) => {
      const ids = shown.map(({ id }) => id)
      this.selected = selectionAfter(this.selected, choice, { ids, anchor: this.#anchor })
      this.#anchor = file.id
    }
    return attachmentRow({
      file,
      deletion: this.store?.$deletions.get().get(file.id),
      texts: this.texts,
      isSelected: this.selected.has(file.id),
      select: this.#may('read') && shown.length > 1 ? select : null,
      open: this.#may('read') ? () => this.#open(file) : null,
      download: this.#may('read') ? () => this.#download([file]) : null,
      delete: this.#may('delete') ? () => void this.#delete([file]) : null,
    })
  }

  #open(file: Attachment): void {
    if (this.tell('vk-open', file)) this.#download([file])
  }

  #download(files: readonly Attachment[]): void {
    void this.#downloads?.start(files)
  }

  /** Deletes the files after some seconds. Several files need a confirmation, because Undo restores only all of them. */
  async #delete(files: readonly Attachment[]): Promise<void> {
    const { session, store, texts } = this
    if (store === null || session === undefined) return
    if (files.length > 1 && (await this.#ask(deleteQuestion(files, texts))) === null) return
    // If the user or object changed while the dialog was open, do not delete with the new store.
    if (this.store !== store) return
    this.#focusIndex = this.#rows.findIndex((row) => row.dataset['id'] === files[0]?.id)
    const { deletions, text, undo, countdown } = deleteFiles(store, files, texts)
    for (const { file, deletion } of deletions)
      void reportFailure(session, deletion, {
        text: texts.attachments.notDeleted(isolated(file.fileName)),
        isRowShown: () => this.shows(store),
      })
    const isShown = files.map((file) =>
      this.tell('vk-done', { kind: 'fileDeleted', target: file.target, file, text, undo }),
    )
    if (isShown.every(Boolean)) feedbackStore(session).announce({ text, undo, countdown })
  }

  async #ask(question: Question): Promise<Answer | null> {
    return (await this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.ask(question)) ?? null
  }

  get #rows(): readonly HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('li[data-id]')]
  }

  /**
   * If an update has removed the element with the focus, moves the focus to the file that took the place of a deleted one, to the
   * last file, or to the button that adds files. Otherwise the browser resets the focus.
   */
  #keepFocus(): void {
    const index = this.#focusIndex
    this.#focusIndex = 0
    if (!this.#hadFocus || document.activeElement !== document.body) return
    const rows = this.#rows
    const place = rows[index] ?? rows.at(-1) ?? this.renderRoot.querySelector('vk-drop-zone')?.shadowRoot
    place?.querySelector('button')?.focus()
  }
}
