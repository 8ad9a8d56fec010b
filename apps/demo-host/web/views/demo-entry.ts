import type { ExecutionResult } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { App } from '../app.ts'
import type { Entry } from '../data/entries.ts'
import { type OpenedEntry, openEntry, type VersionedEntry } from '../data/opened-entry.ts'
import { createForm, type Form, type FormValues } from '../form/form.ts'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'
import { LightStoreElement } from '../light-element.ts'
import { endpointOf, type ListDefinition, permissionFor } from '../lists.ts'
import { pathOfCreated } from '../navigation-targets.ts'
import type { Workspace } from '../workspace.ts'
import { ask } from './ask.ts'
import { collectPayload } from './ask-amount.ts'
import { nameOf } from './columns.ts'
import './demo-effects.ts'
import './demo-entry-tools.ts'
import { editors } from './editors/editors.ts'
import { entryMissing, entrySkeleton } from './entry-states.ts'
import { statusChip } from './status-chip.ts'
import { versionConflict } from './version-conflict.ts'

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
  }
  declare app: App
  declare workspace: Workspace
  declare list: ListDefinition
  /** The id of the entry, or null for a new entry. */
  declare entryId: string | null
  protected readonly storeProperties = ['session', 'list', 'entryId']

  override disconnectedCallback(): void {
    super.disconnectedCallback()
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
    editor.needs(this.workspace.desk)
    opened?.$state.listen((state) => {
      // If the form has unsaved changes, keep them. Otherwise show the new state of the entry.
      if (state.status === 'ready' && !form.$state.get().isDirty) store.fillForm(state)
    })
    void opened?.load()
    this.app.router.guard(() => form.$state.get().isDirty && !form.$state.get().isSaving)
    return store
  }

  protected override atomsOf({ opened, form }: EntryStore): readonly ReadableAtom<unknown>[] {
    const { customers, items, invoices } = this.workspace.desk
    const names = [customers.$items, items.$items, invoices.$items]
    return [form.$state, ...(opened === null ? [] : [opened.$state]), ...names]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const { opened, form } = store
    if (opened === null) return html`${this.#head(null)} ${this.#formCard(store, null)}`
    const state = opened.$state.get()
    if (state.status === 'loading') return html`${this.#back()} ${entrySkeleton}`
    if (state.status === 'failed') {
      return html`${this.#back()} ${entryMissing(state.error, () => this.#retry(opened))}`
    }
    const { entry } = state
    return html`${this.#head(entry)} ${this.#live(entry)} ${this.#actions(entry, form)}
      ${this.#isEditable(entry) ? this.#formCard(store, state) : this.#sheetCard(entry)} ${this.#effects(entry)}`
  }

  /** Reloads the entry, and the lists that its form needs, because loading these lists may have failed, too. */
  #retry(opened: OpenedEntry): void {
    editors[this.list.path].needs(this.workspace.desk)
    void opened.load()
  }

  #back(): TemplateResult {
    return html`<a class="back" href="/${this.list.path}">${icon('back')} ${this.list.title}</a>`
  }

  #head(entry: Entry | null): TemplateResult {
    const status = entry !== null && 'status' in entry ? statusChip(entry.status) : nothing
    return html`<div class="entry-head">
      ${this.#back()}
      <div class="entry-title">
        <h1><bdi>${entry === null ? `New ${this.list.one}` : nameOf(entry)}</bdi></h1>
        ${status}
        <span class="grow"></span>
        ${
          entry === null
            ? nothing
            : html`<demo-entry-tools
                .session=${this.session}
                .workspace=${this.workspace}
                .list=${this.list}
                .entryId=${entry.id}
              ></demo-entry-tools>`
        }
      </div>
    </div>`
  }

  /** Tells that somebody else has changed the entry. */
  #live({ id }: Entry): TemplateResult {
    const { kind, typeCode } = this.list
    return html`<vk-live-object .session=${this.workspace.session} .target=${{ kind, typeCode, id }}></vk-live-object>`
  }

  #actions(entry: Entry, form: Form<FormValues>): TemplateResult | typeof nothing {
    if (!('number' in entry)) return nothing
    if (form.$state.get().isDirty) {
      return html`<p class="entry-bar hint" role="status">Save or discard your changes to use the actions.</p>`
    }
    const { session } = this.workspace
    return html`<div class="entry-bar" @vk-executed=${this.#executed}>
      <vk-your-tasks
        .session=${session}
        .documentType=${entry.typeCode}
        .documentId=${entry.id}
        .collectPayload=${collectPayload}
      ></vk-your-tasks>
      <vk-document-actions
        .session=${session}
        .documentType=${entry.typeCode}
        .documentId=${entry.id}
        .collectPayload=${collectPayload}
      ></vk-document-actions>
    </div>`
  }

  #isEditable(entry: Entry): boolean {
    const isOpen = !('status' in entry) || entry.status === 'Draft'
    return isOpen && this.workspace.may(permissionFor(this.list, 'edit'))
  }

  #sheetCard(entry: Entry): TemplateResult {
    return html`<div class="card">${editors[this.list.path].sheet(entry, this.workspace.desk)}</div>`
  }

  #formCard({ form, fillForm }: EntryStore, shown: VersionedEntry | null): TemplateResult {
    const { isSaving, isDirty, problem } = form.$state.get()
    const entry = shown?.entry ?? null
    const isConflict = problem?.code === 'documents.version_conflict'
    const mayDelete = entry !== null && this.workspace.may(permissionFor(this.list, 'delete'))
    return html`<form class="card" novalidate @submit=${this.#save}>
      ${editors[this.list.path].form(form, this.workspace.desk)}
      <div class="form-foot">
        <button class="button primary" ?disabled=${isSaving || (entry !== null && !isDirty)}>
          ${isSaving ? 'Saving…' : entry === null ? 'Create' : 'Save'}
        </button>
        ${
          shown !== null && isDirty && !isConflict
            ? html`<button type="button" class="button" @click=${() => fillForm(shown)}>Discard changes</button>`
            : nothing
        }
        ${entry === null ? html`<a class="button quiet" href="/${this.list.path}">Cancel</a>` : nothing}
        <span class="grow"></span>
        ${
          mayDelete
            ? html`<button type="button" class="button danger" @click=${() => void this.#delete(entry)}>Delete</button>`
            : nothing
        }
      </div>
      ${isConflict ? versionConflict({ one: this.list.one, isDirty, load: this.#loadCurrent }) : nothing}
      ${problem === null || isConflict ? nothing : html`<p class="notice bad" role="alert">${messageOf(problem)}</p>`}
    </form>`
  }

  #effects(entry: Entry): TemplateResult | typeof nothing {
    if (!('number' in entry) || entry.status !== 'Posted') return nothing
    return html`<demo-effects
      .workspace=${this.workspace}
      .typeCode=${entry.typeCode}
      .documentId=${entry.id}
      .updatedAtUtc=${entry.updatedAtUtc}
    ></demo-effects>`
  }

  /** Loads the current version of the entry into the form. If the request fails, the form keeps its values. */
  readonly #loadCurrent = async () => {
    const { store } = this
    if (store === null) return
    const current = await store.form.submit(async () => store.opened?.read() ?? null)
    if (current !== null && this.store === store) store.opened?.show(current)
  }

  readonly #save = async (event: Event) => {
    event.preventDefault()
    const { client, session } = this.workspace
    const { list, store } = this
    if (store === null) return
    const endpoint = endpointOf(list)
    const expectedVersion = store.formVersion
    const saved = await store.form.submit((values) =>
      client.request<Entry>({
        ...(this.entryId === null
          ? { method: 'POST', path: endpoint }
          : { method: 'PUT', path: `${endpoint}/${encodeURIComponent(this.entryId)}` }),
        body: { ...editors[list.path].bodyOf(values), ...(expectedVersion !== null && { expectedVersion }) },
        signal: session.signal,
      }),
    )
    if (saved !== null) {
      this.#changed(list)
      if ('number' in saved) session.announce({ kind: 'document', typeCode: saved.typeCode, id: saved.id })
    }
    // If the user opened another entry during the request, leave that entry unchanged.
    if (this.store !== store) return
    if (saved === null) return this.#focusFirstError()
    if (this.entryId === null) return this.app.router.go(`/${this.list.path}/${saved.id}`, { replaces: true })
    // The save has increased the version by one. The form keeps the text that the user typed during the request.
    store.formVersion = expectedVersion === null ? null : expectedVersion + 1
    store.opened?.show({ entry: saved, version: store.formVersion })
  }

  /** Reloads the choices that come from a changed list. */
  #changed(list: ListDefinition): void {
    const { desk } = this.workspace
    if (list.path === 'customers') desk.customers.load({ again: true })
    if (list.path === 'items') desk.items.load({ again: true })
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
    this.#changed(list)
    if (this.store === store) this.app.router.go(`/${list.path}`, { replaces: true })
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
