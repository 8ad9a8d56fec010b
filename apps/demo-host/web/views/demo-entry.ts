import type { ExecutionResult, KitError } from '@vertical-kit/ui-client'
import { outcome, type Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { App } from '../app.ts'
import type { Entry } from '../data/entries.ts'
import { listQueryOf, searchOf } from '../data/list-query.ts'
import { neighboursOf } from '../data/neighbours.ts'
import { type OpenedEntry, openEntry, type VersionedEntry } from '../data/opened-entry.ts'
import { postDraft, saveEntry } from '../data/save-entry.ts'
import { createForm, type Form, type FormValues } from '../form/form.ts'
import { pageTitle } from '../format.ts'
import { LightStoreElement } from '../light-element.ts'
import { endpointOf, type ListDefinition, permissionFor } from '../lists.ts'
import { pathOfCreated } from '../navigation-targets.ts'
import type { Workspace } from '../workspace.ts'
import { ask } from './ask.ts'
import { nameOf } from './columns.ts'
import './demo-entry-tools.ts'
import './demo-picker.ts'
import { editors } from './editors/editors.ts'
import { entryForm } from './entry-form.ts'
import { backLink, entryHead } from './entry-head.ts'
import { entryActions, entryBooks, entryLive } from './entry-sections.ts'
import { entryMissing, entrySkeleton, notPostedNotice } from './entry-states.ts'

/** The form of an entry, and the store of the entry, which is null if the entry is new. */
interface EntryStore {
  readonly opened: OpenedEntry | null
  readonly form: Form<FormValues>
  /** The version of the document in the form. Other parts of the page may show a newer version. */
  formVersion: number | null
  /** Replaces the form's values with the entry, and discards unsaved changes. */
  fillForm(shown: VersionedEntry): void
  dispose(): void
}

/** One entry of a list, with its actions. New entries and drafts are shown in a form, all other entries as text. */
export class DemoEntry extends LightStoreElement<EntryStore> {
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
  /** The draft that was saved but not posted, and the reason. */
  declare private notPosted: { readonly id: string; readonly error: KitError } | null
  protected readonly storeProperties = ['session', 'list', 'entryId']

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
    const editor = editors[this.list.path]
    const form = createForm(editor.blank(new URLSearchParams(location.search)))
    const opened = this.entryId === null ? null : openEntry(session, this.list, this.entryId)
    const store: EntryStore = {
      opened,
      form,
      formVersion: null,
      fillForm({ entry, version }) {
        form.reset(editor.valuesOf(entry))
        store.formVersion = version
      },
      dispose: () => opened?.dispose(),
    }
    opened?.$state.listen((state) => {
      // If the form has unsaved changes, keep them. Otherwise show the new state of the entry.
      if (state.status === 'ready') this.#remember(state.entry)
      if (state.status === 'ready' && !form.$state.get().isDirty) store.fillForm(state)
    })
    void opened?.load()
    // The list knows the previous and the next entry.
    const entries = this.workspace.desk.entriesOf(this.list)
    if (opened !== null && entries.$list.get().status === 'idle')
      entries.open(listQueryOf(this.list, this.search))
    this.app.router.guard(() => form.$state.get().isDirty && !form.$state.get().isSaving)
    return store
  }

  #remember(entry: Entry): void {
    const value = `/${this.list.path}/${entry.id}`
    this.workspace.desk.remember({ value, label: nameOf(entry), hint: `Recent ${this.list.one}` })
  }

  protected override atomsOf({ opened, form }: EntryStore): readonly ReadableAtom<unknown>[] {
    const { customers, items, invoices } = this.workspace.desk
    const { $list } = this.workspace.desk.entriesOf(this.list)
    const names = [customers.$known, items.$known, invoices.$known, $list]
    return [form.$state, ...(opened === null ? [] : [opened.$state]), ...names]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const { opened, form } = store
    if (opened === null) return html`${this.#head(null)} ${this.#formCard(store, null)}`
    const state = opened.$state.get()
    if (state.status === 'loading') return html`${backLink(this.list, this.#listSearch)} ${entrySkeleton}`
    if (state.status === 'failed') {
      return html`${backLink(this.list, this.#listSearch)} ${entryMissing(state.error, () => void opened.load())}`
    }
    const { entry } = state
    return html`${this.#head(entry)} ${entryLive(this.workspace, this.list, entry)}
      ${this.notPosted?.id === entry.id && form.$state.get().isDirty === false ? notPostedNotice(this.notPosted.error) : nothing}
      ${this.#actions(entry, form)}
      ${this.#isEditable(entry) ? this.#formCard(store, state) : this.#sheetCard(entry)} ${entryBooks(this.workspace, entry)}`
  }

  protected override updated(): void {
    const state = this.store?.opened?.$state.get()
    const { one, title } = this.list
    if (this.entryId === null) document.title = pageTitle(`New ${one}`)
    else document.title = pageTitle(state?.status === 'ready' ? nameOf(state.entry) : null, title)
  }

  /** The query of the list, as the user has left it. */
  get #listSearch(): string {
    return searchOf(listQueryOf(this.list, this.search))
  }

  get #listPath(): string {
    return `/${this.list.path}${this.#listSearch}`
  }

  #head(entry: Entry | null): TemplateResult {
    const tools =
      entry === null
        ? nothing
        : html`<demo-entry-tools
            .session=${this.session}
            .app=${this.app}
            .workspace=${this.workspace}
            .list=${this.list}
            .entryId=${entry.id}
            .search=${this.search}
          ></demo-entry-tools>`
    const neighbours = neighboursOf(this.workspace.desk.entriesOf(this.list), this.entryId)
    const searches = { search: this.#listSearch, stepSearch: this.search }
    return entryHead({ list: this.list, entry, ...searches, neighbours, tools })
  }

  #actions(entry: Entry, form: Form<FormValues>): TemplateResult | typeof nothing {
    if (!('number' in entry)) return nothing
    if (form.$state.get().isDirty) {
      return html`<p class="entry-bar hint" role="status">Save or discard your changes to use the actions.</p>`
    }
    return entryActions(this.workspace, entry, this.#executed)
  }

  #isEditable(entry: Entry): boolean {
    const isOpen = !('status' in entry) || entry.status === 'Draft'
    return isOpen && this.workspace.may(permissionFor(this.list, 'edit'))
  }

  #sheetCard(entry: Entry): TemplateResult {
    return html`<div class="card">${editors[this.list.path].sheet(entry, this.workspace.desk)}</div>`
  }

  #formCard({ form, fillForm }: EntryStore, shown: VersionedEntry | null): TemplateResult {
    const { list, workspace } = this
    const may = (action: string) => workspace.may(permissionFor(list, action))
    return entryForm({
      ...{ list, form, shown, listPath: this.#listPath, save: this.#save, loadCurrent: this.#loadCurrent },
      fields: editors[list.path].form(form, workspace.desk),
      mayPost: list.resource === 'document' && may('post'),
      mayDelete: shown !== null && may('delete'),
      discard: () => shown !== null && fillForm(shown),
      remove: () => shown !== null && void this.#delete(shown.entry),
    })
  }

  /** Loads the current version of the entry into the form. If the request fails, the form keeps its values. */
  readonly #loadCurrent = async () => {
    const { store } = this
    if (store === null) return
    const current = await store.form.submit(async () => store.opened?.read() ?? null)
    if (current !== null && this.store === store) store.opened?.show(current)
  }

  readonly #save = async (event: SubmitEvent) => {
    event.preventDefault()
    const { session } = this.workspace
    const { list, store, entryId: id } = this
    if (store === null) return
    const posts = event.submitter?.getAttribute('name') === 'post'
    const expectedVersion = store.formVersion
    this.notPosted = null
    const saved = await store.form.submit((values) =>
      saveEntry(session, { list, id, expectedVersion, body: editors[list.path].bodyOf(values) }),
    )
    // If the user opened another entry during the request, leave that entry unchanged.
    if (saved === null) return this.store === store ? this.#focusFirstError() : undefined
    this.#changed(saved)
    // A save has increased the version by one. A new document has the version 1.
    const version = expectedVersion === null ? ('number' in saved ? 1 : null) : expectedVersion + 1
    const current = posts && version !== null ? await this.#post(saved, version) : { entry: saved, version }
    if ('number' in saved) session.announce({ kind: 'document', typeCode: saved.typeCode, id: saved.id })
    if (this.store !== store) return
    if (id === null) return this.app.router.go(`/${list.path}/${saved.id}`, { replaces: true })
    // The form keeps the text that the user typed during the request.
    store.formVersion = version
    store.opened?.show(current)
  }

  /** Posts a saved draft. After a refusal, the draft stays saved, and the page shows the reason. */
  async #post(saved: Entry, version: number): Promise<VersionedEntry> {
    const { session } = this.workspace
    if (!('number' in saved)) return { entry: saved, version: null }
    const result = await outcome(session.signal, postDraft(session, saved, version))
    if (result !== null && 'value' in result) {
      return { entry: result.value.document, version: result.value.documentVersion }
    }
    if (result !== null) this.notPosted = { id: saved.id, error: result.error }
    return { entry: saved, version }
  }

  /** Documents that refer to a saved item show its new name. */
  #changed(saved: Entry): void {
    const { customers, items } = this.workspace.desk
    if ('number' in saved) return
    if (this.list.path === 'customers') customers.put([saved])
    else items.put([saved])
  }

  async #delete(entry: Entry): Promise<void> {
    const query = { expectedVersion: this.store?.formVersion ?? null }
    const isSure = await ask({
      title: `Delete ${nameOf(entry)}?`,
      message: `This cannot be undone. You will also lose access to the attachments and notes of this ${this.list.one}.`,
      confirmLabel: 'Delete',
    })
    if (!isSure) return
    const { client, session } = this.workspace
    const { list, store } = this
    if (store === null) return
    const path = `${endpointOf(list)}/${encodeURIComponent(entry.id)}`
    const answer = await store.form.submit(async () => {
      await client.request({ method: 'DELETE', path, query, signal: session.signal })
      return 'deleted' as const
    })
    if (answer === null) return
    this.workspace.desk.forget(list, entry.id)
    if (this.store === store) this.app.router.go(this.#listPath, { replaces: true })
  }

  /** Ctrl+S or Cmd+S saves the form. It never saves the page as a file. */
  readonly #press = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || event.shiftKey || event.altKey) return
    if (event.ctrlKey === event.metaKey) return
    event.preventDefault()
    if (document.querySelector('dialog[open]') !== null) return
    this.querySelector<HTMLButtonElement>('form .button.primary:enabled')?.click()
  }

  readonly #executed = (event: CustomEvent<ExecutionResult>) => {
    const { document, documentVersion } = event.detail
    const path = pathOfCreated(event.detail)
    if (path === null) this.store?.opened?.show({ entry: document, version: documentVersion })
    else this.app.router.go(path)
  }

  async #focusFirstError(): Promise<void> {
    await this.updateComplete
    this.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }
}

customElements.define('demo-entry', DemoEntry)
