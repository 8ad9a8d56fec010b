import type { ExecutionResult } from '@vertical-kit/ui-client'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import type { Entry } from '../data/entries.ts'
import { type OpenedEntry, openEntry, type VersionedEntry } from '../data/opened-entry.ts'
import { createForm, type Form, type FormValues } from '../form/form.ts'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'
import { LightElement } from '../light-element.ts'
import { endpointOf, type ListDefinition, lists, permissionFor } from '../lists.ts'
import { StoreController } from '../store-controller.ts'
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

/** One entry of a list: to fill in while it is new or a draft, to read otherwise, with what can be done to it. */
export class DemoEntry extends LightElement {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    list: { attribute: false },
    entryId: { attribute: false },
  }
  declare app: App
  declare workspace: Workspace
  declare list: ListDefinition
  /** Null for one that is not saved yet. */
  declare entryId: string | null
  readonly #stores = new StoreController(this)
  #opened: OpenedEntry | null = null
  #form: Form<FormValues> = createForm({})
  /** The version of the document whose fields the form was filled with. What is shown elsewhere may be newer. */
  #formVersion: number | null = null

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#opened?.dispose()
    this.app.router.guard(null)
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!['workspace', 'list', 'entryId'].some((name) => changed.has(name))) return
    const { client, session, desk } = this.workspace
    const editor = editors[this.list.path]
    this.#opened?.dispose()
    this.#opened = null
    this.#form = createForm(editor.blank(new URLSearchParams(location.search)))
    this.#formVersion = null
    editor.needs(desk)
    const names = [desk.customers.$items, desk.items.$items, desk.invoices.$items]
    if (this.entryId !== null) {
      const opened = openEntry(client, session, this.list, this.entryId)
      opened.$state.listen((state) => {
        // What is being changed stays as it is; a form nobody has touched follows the entry.
        if (state.status === 'ready' && !this.#form.$state.get().isDirty) this.#fillForm(state)
      })
      void opened.load()
      this.#opened = opened
    }
    this.#stores.watch(this.#form.$state, ...(this.#opened ? [this.#opened.$state] : []), ...names)
    this.app.router.guard(() => this.#form.$state.get().isDirty && !this.#form.$state.get().isSaving)
  }

  protected override render(): TemplateResult {
    const state = this.#opened?.$state.get()
    if (state === undefined) return html`${this.#head(null)} ${this.#formCard(null)}`
    if (state.status === 'loading') return html`${this.#back()} ${entrySkeleton}`
    if (state.status === 'failed') {
      return html`${this.#back()} ${entryMissing(state.error, this.#retry)}`
    }
    const { entry } = state
    return html`${this.#head(entry)} ${this.#actions(entry)}
      ${this.#isEditable(entry) ? this.#formCard(state) : this.#sheetCard(entry)} ${this.#effects(entry)}`
  }

  /** The names in the form may not have come either. */
  readonly #retry = () => {
    editors[this.list.path].needs(this.workspace.desk)
    void this.#opened?.load()
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
                .workspace=${this.workspace}
                .list=${this.list}
                .entryId=${entry.id}
              ></demo-entry-tools>`
        }
      </div>
    </div>`
  }

  #actions(entry: Entry): TemplateResult | typeof nothing {
    if (!('number' in entry)) return nothing
    if (this.#form.$state.get().isDirty) {
      return html`<p class="entry-bar hint" role="status">Save your changes, or discard them, to act on the document.</p>`
    }
    return html`<div class="entry-bar">
      <vk-document-actions
        .session=${this.workspace.session}
        .documentType=${entry.typeCode}
        .documentId=${entry.id}
        .collectPayload=${(action: Parameters<typeof collectPayload>[0]) => collectPayload(action, entry)}
        @vk-executed=${this.#executed}
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

  #formCard(shown: VersionedEntry | null): TemplateResult {
    const { isSaving, isDirty, problem } = this.#form.$state.get()
    const entry = shown?.entry ?? null
    const isConflict = problem?.code === 'documents.version_conflict'
    const mayDelete = entry !== null && this.workspace.may(permissionFor(this.list, 'delete'))
    return html`<form class="card" novalidate @submit=${this.#save}>
      ${editors[this.list.path].form(this.#form, this.workspace.desk)}
      <div class="form-foot">
        <button class="button primary" ?disabled=${isSaving || (entry !== null && !isDirty)}>
          ${isSaving ? 'Saving…' : entry === null ? 'Create' : 'Save'}
        </button>
        ${
          shown !== null && isDirty && !isConflict
            ? html`<button type="button" class="button" @click=${() => this.#fillForm(shown)}>Discard changes</button>`
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
      .documentType=${entry.typeCode}
      .documentId=${entry.id}
      .updatedAtUtc=${entry.updatedAtUtc}
    ></demo-effects>`
  }

  /** Starts the form over; changes in it are lost. */
  #fillForm({ entry, version }: VersionedEntry): void {
    this.#form.reset(editors[this.list.path].valuesOf(entry))
    this.#formVersion = version
  }

  /** Replaces the form's values once the current version has arrived; if that fails, they stay. */
  readonly #loadCurrent = async () => {
    const form = this.#form
    const opened = this.#opened
    const current = await form.submit(async () => opened?.read() ?? null)
    if (current !== null && this.#form === form) opened?.show(current)
  }

  readonly #save = async (event: Event) => {
    event.preventDefault()
    const { client, session } = this.workspace
    const { list } = this
    const endpoint = endpointOf(list)
    const form = this.#form
    const expectedVersion = this.#formVersion
    const saved = await form.submit((values) =>
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
      if ('number' in saved)
        session.announce({ kind: 'document', documentType: saved.typeCode, id: saved.id })
    }
    // Whoever has gone on to another entry stays there, and that one is not shown as this.
    if (!this.isConnected || this.#form !== form) return
    if (saved === null) return this.#focusFirstError()
    if (this.entryId === null) return this.app.router.go(`/${this.list.path}/${saved.id}`, { replaces: true })
    // The edit added one to the version, also for what was typed while it was saved: the form keeps that.
    this.#formVersion = expectedVersion === null ? null : expectedVersion + 1
    this.#opened?.show({ entry: saved, version: this.#formVersion })
  }

  /** What was read of the list, and chosen from it, is not what it was. */
  #changed(list: ListDefinition): void {
    const { desk } = this.workspace
    if (list.path === 'customers') desk.customers.load({ again: true })
    if (list.path === 'items') desk.items.load({ again: true })
  }

  async #delete(entry: Entry): Promise<void> {
    const query = { expectedVersion: this.#formVersion }
    const isSure = await ask({
      title: `Delete ${nameOf(entry)}?`,
      message: 'It is gone for good, and its attachments and notes cannot be reached any more.',
      confirmLabel: 'Delete',
    })
    if (!isSure) return
    const { client, session } = this.workspace
    const { list } = this
    const form = this.#form
    const path = `${endpointOf(list)}/${encodeURIComponent(entry.id)}`
    const answer = await form.submit(async () => {
      await client.request({ method: 'DELETE', path, query, signal: session.signal })
      return 'deleted' as const
    })
    if (answer === null) return
    this.#changed(list)
    if (this.isConnected && this.#form === form) this.app.router.go(`/${list.path}`, { replaces: true })
  }

  readonly #executed = (event: CustomEvent<ExecutionResult>) => {
    const { createdDocument, document, documentVersion } = event.detail
    if (createdDocument === null) return this.#opened?.show({ entry: document, version: documentVersion })
    const list = lists.find(({ typeCode }) => typeCode === createdDocument.typeCode)
    if (list !== undefined) this.app.router.go(`/${list.path}/${createdDocument.id}`)
  }

  async #focusFirstError(): Promise<void> {
    await this.updateComplete
    this.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }
}

customElements.define('demo-entry', DemoEntry)
