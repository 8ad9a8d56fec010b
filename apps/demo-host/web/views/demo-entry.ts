import type { ExecutionResult } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { App } from '../app.ts'
import type { Entry } from '../data/entries.ts'
import { lastEditor } from '../data/last-editor.ts'
import { listQueryOf, searchOf } from '../data/list-query.ts'
import { neighboursOf } from '../data/neighbours.ts'
import type { OpenedEntryState, VersionedEntry } from '../data/opened-entry.ts'
import { mayHaveSucceeded } from '../data/save-entry.ts'
import { type Form, type FormValues, hasInput } from '../form/form.ts'
import { pageTitle } from '../format.ts'
import { isDialogOpen } from '../is-dialog-open.ts'
import { LightStoreElement } from '../light-element.ts'
import { type ListDefinition, permissionFor } from '../lists.ts'
import { pathOfCreated } from '../navigation-targets.ts'
import type { Workspace } from '../workspace.ts'
import { nameOf } from './columns.ts'
import './demo-entry-tools.ts'
import { editors } from './editors/editors.ts'
import { discard, type EntryView, loadCurrent, remove, save } from './entry-commands.ts'
import { cancelPathOf, entryForm } from './entry-form.ts'
import { backLink, entryHead } from './entry-head.ts'
import { entryActions, entryBooks, entryLive, entryTasks } from './entry-sections.ts'
import { entryMissing, entryOutdated, entrySkeleton, notPostedNotice } from './entry-states.ts'
import { type EntryStore, openEntryStore } from './entry-store.ts'
import { followTasks, taskButton } from './entry-task-button.ts'
import { changesBy, isDraft, isVersionConflict, type VersionConflict } from './version-conflict.ts'

/** One entry of a list, with its actions. New entries and drafts are shown in a form, all other entries as text. */
export class DemoEntry extends LightStoreElement<EntryStore> implements EntryView {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    list: { attribute: false },
    entryId: { attribute: false },
    search: { attribute: false },
    notPosted: { state: true },
  }
  declare app: App
  declare workspace: Workspace
  declare list: ListDefinition
  /** The id of the entry, or null for a new entry. */
  declare entryId: string | null
  /** The query of the URL, with the filters and the order of the list. */
  declare search: string
  declare notPosted: EntryView['notPosted']
  protected readonly storeProperties = ['session', 'list', 'entryId']
  #conflictHeight = 0
  /** Resolves at the end of the last save of this entry. */
  #saved = Promise.resolve()
  readonly #tasks = followTasks(this)
  /** Whether this element has shown an entry. Before, nobody knows whether the entry exists. */
  #hasShown = false

  constructor() {
    super()
    this.notPosted = null
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('keydown', this.#press)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('keydown', this.#press)
    this.app.router.guard(null)
  }

  protected override openStore(session: Session): EntryStore {
    const { list, entryId: id } = this
    this.#saved = Promise.resolve()
    const editor = editors[list.path]
    const initial = editor.blank(new URLSearchParams(location.search))
    const store = openEntryStore(session, {
      ...{ list, id, editor, initial, mayEdit: this.#mayEdit },
      settled: () => void this.keepFocus(),
      lastEditor: async (signal) => (id === null ? null : lastEditor(this.workspace, { list, id, signal })),
    })
    const { opened, form } = store
    opened?.$state.listen((state) => {
      if (state.status === 'ready') this.#remember(state.entry)
    })
    // The list knows the previous and the next entry. It does not know an entry that an action has just created.
    const entries = this.workspace.desk.entriesOf(list)
    const { status, items } = entries.$list.get()
    const isMissing = status === 'ready' && !items.some((item) => item.id === id)
    if (id !== null && (status === 'idle' || isMissing)) entries.open(listQueryOf(list, this.search))
    this.app.router.guard((end) => {
      const state = form.$state.get()
      // A request that is refused after the user has left the view keeps the values. The end of the page would abort it.
      return hasInput(state) && (end === 'page' || !state.isSaving)
    })
    return store
  }

  #remember(entry: Entry): void {
    const value = `/${this.list.path}/${entry.id}`
    this.workspace.desk.remember({ value, label: nameOf(entry), hint: `Recent ${this.list.one}` })
  }

  protected override atomsOf({ opened, form, $conflict }: EntryStore): readonly ReadableAtom<unknown>[] {
    const { customers, items, invoices } = this.workspace.desk
    const { $list } = this.workspace.desk.entriesOf(this.list)
    const names = [customers.$known, items.$known, invoices.$known, $list]
    return [form.$state, $conflict, ...(opened === null ? [] : [opened.$state]), ...names]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const { opened } = store
    if (opened === null) return html`${this.#head('new')} ${this.#formCard(store, null)}`
    const state = opened.$state.get()
    if (state.status === 'failed') {
      const retry = () => void this.retry(opened.load)
      return html`${backLink(this.list, this.#listSearch)} ${entryMissing(state.error, retry)}`
    }
    // The head stays while the user steps to another entry, so that the focus and an open panel stay.
    const isLoading = state.status === 'loading'
    return html`${this.#head(isLoading ? 'loading' : state.entry)}
      ${isLoading ? entrySkeleton : this.#body(store, state)}`
  }

  #body(store: EntryStore, state: OpenedEntryState & { status: 'ready' }): TemplateResult {
    const { entry, error } = state
    const { form } = store
    const live = { session: this.workspace.session, list: this.list, id: entry.id }
    const notPosted =
      this.notPosted?.id === entry.id && isDraft(entry) && !form.$state.get().isDirty ? this.notPosted : null
    const isKnown = error === null || notPosted === null || !mayHaveSucceeded(notPosted.error)
    return html`${notPosted === null ? nothing : notPostedNotice(notPosted.error, { isKnown })}
      ${error === null ? this.#actions(entry, form) : entryOutdated(error, () => void this.retry(async () => store.opened?.load()))}
      ${entryLive({ ...live, isHidden: store.hasConflict(state), followed: this.#showChange })}
      ${this.#isEditable(entry, form) ? this.#formCard(store, state) : this.#sheetCard(entry)} ${entryBooks(this.workspace, entry)}
      ${error === null && !form.$state.get().isDirty ? entryTasks(this.workspace, entry, this.#executed) : nothing}`
  }

  protected override updated(): void {
    // At the end of the session, the sign-in page has already set its title.
    if (!this.isConnected) return
    const state = this.store?.opened?.$state.get()
    this.#hasShown ||= state?.status === 'ready'
    const { one, title } = this.list
    if (this.entryId === null) document.title = pageTitle(`New ${one}`)
    else document.title = pageTitle(state?.status === 'ready' ? nameOf(state.entry) : null, title)
    this.#revealConflict()
  }

  /** Scrolls to a notice that has just appeared, or that has grown. The button to save may be far from it. */
  #revealConflict(): void {
    const notice = this.querySelector('.conflict')
    const height = notice?.clientHeight ?? 0
    if (height > this.#conflictHeight) notice?.scrollIntoView({ block: 'nearest' })
    this.#conflictHeight = height
  }

  /** The query of the list, as the user has left it. */
  get #listSearch(): string {
    return searchOf(listQueryOf(this.list, this.search))
  }

  get listPath(): string {
    return `/${this.list.path}${this.#listSearch}`
  }

  #head(entry: Entry | 'new' | 'loading'): TemplateResult {
    const { entryId } = this
    const tools =
      entryId === null || (entry === 'loading' && !this.#hasShown)
        ? nothing
        : html`<demo-entry-tools
            .session=${this.session}
            .app=${this.app}
            .workspace=${this.workspace}
            .list=${this.list}
            .entryId=${entryId}
            .search=${this.search}
          ></demo-entry-tools>`
    const neighbours = neighboursOf(this.workspace.desk.entriesOf(this.list), entryId)
    const searches = { search: this.#listSearch, stepSearch: this.search }
    const tasks = this.list.resource === 'document' && entryId !== null ? taskButton(this.#tasks) : nothing
    return entryHead({ list: this.list, entry, ...searches, neighbours, tasks, tools })
  }

  #actions(entry: Entry, form: Form<FormValues>): TemplateResult | typeof nothing {
    if (!('number' in entry)) return nothing
    // A text in a picker is lost with the focus: the actions stay where the user clicks.
    if (form.$state.get().isDirty) {
      return html`<p class="entry-hint hint" role="status">Save or discard your changes to use the actions.</p>`
    }
    return entryActions(this.workspace, entry, this.#executed)
  }

  get #mayEdit(): boolean {
    return this.workspace.may(permissionFor(this.list, this.entryId === null ? 'create' : 'edit'))
  }

  /** Whether the entry is shown in a form. Unsaved changes stay visible, even if another user has posted the draft. */
  #isEditable(entry: Entry, form: Form<FormValues>): boolean {
    return (isDraft(entry) || form.$state.get().isDirty) && this.#mayEdit
  }

  #sheetCard(entry: Entry): TemplateResult {
    return html`<div class="card">${editors[this.list.path].sheet(entry, this.workspace.desk)}</div>`
  }

  #formCard(store: EntryStore, shown: VersionedEntry | null): TemplateResult {
    const { list, workspace } = this
    const { form } = store
    const may = (action: string) => workspace.may(permissionFor(list, action))
    return entryForm({
      ...{ form, shown, save: (event) => this.#save(event) },
      cancelPath: cancelPathOf(this.search) ?? this.listPath,
      conflict: store.hasConflict(shown) ? this.#conflict(store) : null,
      fields: editors[list.path].form(form, workspace.desk),
      mayPost: list.resource === 'document' && may('post'),
      mayDelete: shown !== null && may('delete'),
      discard: () => shown !== null && discard(this, store, shown),
      remove: () => shown !== null && void remove(this, shown.entry),
    })
  }

  #conflict({ $conflict, basisValues, form, mustChooseLines }: EntryStore): VersionConflict {
    const { values, isDirty, isSaving, problem } = form.$state.get()
    const { list, workspace } = this
    const known = $conflict.get()
    const [base, entry] = [basisValues(), known?.current.entry]
    const changes =
      entry === undefined || base === null
        ? []
        : changesBy(entry, { base, mine: values, editor: editors[list.path], desk: workspace.desk })
    return {
      ...{ one: list.one, isDirty, isSaving, changes, editor: known?.editor ?? null },
      isRefused: isVersionConflict(problem),
      load: () => void loadCurrent(this, 'discards'),
      // Offered before the answer, so that the button to which the focus moves stays the same.
      keep: entry === undefined || isDraft(entry) ? (lines) => void loadCurrent(this, 'keeps', lines) : null,
      mustChooseLines: known !== null && mustChooseLines(known.current),
    }
  }

  /** Moves the focus to the conflict, or to the view, when the change is shown: the button that showed it is gone. */
  readonly #showChange = () => {
    const stop = this.store?.opened?.$state.listen(() => {
      stop?.()
      if (document.activeElement === document.body) void this.moveFocus('.conflict button')
    })
  }

  /** Ctrl+S or Cmd+S saves the form. It never saves the page as a file. */
  readonly #press = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || event.shiftKey || event.altKey) return
    if (event.ctrlKey === event.metaKey) return
    event.preventDefault()
    if (isDialogOpen(event)) return
    void this.#saveNext()
  }

  #save(event: SubmitEvent): void {
    this.#saved = save(this, event).catch(reportError)
  }

  /** Saves the form. During a save, waits for its end and then saves what the user has typed since. */
  async #saveNext(): Promise<void> {
    const { store } = this
    const saved = this.#saved
    await saved
    await this.updateComplete
    // Another press may have started the next save.
    if (this.store !== store || this.#saved !== saved) return
    this.querySelector<HTMLElement>('form .button.primary:enabled')?.click()
  }

  readonly #executed = (event: CustomEvent<ExecutionResult>) => {
    this.notPosted = null
    const { document, documentVersion } = event.detail
    const path = pathOfCreated(event.detail)
    if (path === null) this.store?.opened?.show({ entry: document, version: documentVersion })
    else this.app.router.follow(path)
  }

  async keepFocus(): Promise<void> {
    await this.updateComplete
    const { activeElement } = document
    if (activeElement === document.body || activeElement?.matches(':disabled')) this.closest('main')?.focus()
  }

  async moveFocus(selector: string): Promise<void> {
    await this.updateComplete
    const main = document.activeElement === document.body ? this.closest('main') : null
    const target = this.querySelector<HTMLElement>(selector) ?? main
    target?.focus()
  }
}

customElements.define('demo-entry', DemoEntry)
