import type { KitError } from '@vertical-kit/ui-client'
import type { BatchAction, BatchSelection } from '@vertical-kit/ui-client/elements'
import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { App } from '../app.ts'
import type { Entries, Entry } from '../data/entries.ts'
import { keepCurrent } from '../data/keep-current.ts'
import { defaultQuery, type ListQuery, listQueryOf, searchOf, typingMs } from '../data/list-query.ts'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'
import { LightStoreElement } from '../light-element.ts'
import { type ListDefinition, permissionFor } from '../lists.ts'
import type { Workspace } from '../workspace.ts'
import { type Column, cellOf, columnsOf, nameOf } from './columns.ts'
import { boneRow, listHead } from './list-head.ts'
import { listTools } from './list-tools.ts'

/** Shows the entries of one list page by page. The search, the filter and the order are part of the URL. */
export class DemoList extends LightStoreElement<Entries> {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    list: { attribute: false },
    search: { attribute: false },
    chosen: { attribute: false, state: true },
  }
  declare app: App
  declare workspace: Workspace
  declare list: ListDefinition
  /** The query of the URL. */
  declare search: string
  /** The ids of the selected documents. */
  declare chosen: ReadonlySet<string>
  #hadRowFocus = false
  /** The timer of a typed search text. */
  #typing = 0
  #left = new AbortController()
  /** The query of the URL to which the rows belong. */
  #loadedSearch: string | null = null
  protected readonly storeProperties = ['session', 'list']

  constructor() {
    super()
    this.chosen = new Set()
  }

  protected override openStore(_session: Session): Entries {
    this.chosen = new Set()
    // A text that was typed for another list.
    clearTimeout(this.#typing)
    const entries = this.workspace.desk.entriesOf(this.list)
    entries.open(this.#query)
    return entries
  }

  protected override atomsOf({ $list, $counts }: Entries): readonly ReadableAtom<unknown>[] {
    const { customers, invoices } = this.workspace.desk
    return [$list, $counts, customers.$known, invoices.$known]
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#left = new AbortController()
    keepCurrent(this.workspace.session, this.#left.signal, {
      concerns: (typeCode) => typeCode === this.list.typeCode,
      // Not during another request, and not while the user reads the message of a failure.
      mayRefresh: () => this.store?.$list.get().status === 'ready',
      load: () => this.store?.load(),
    })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#left.abort()
    clearTimeout(this.#typing)
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOpen = this.store !== null
    this.#hadRowFocus = this.querySelector('tbody')?.contains(document.activeElement) ?? false
    super.willUpdate(changed)
    if (!isOpen || !changed.has('search') || changed.has('list')) return
    this.chosen = new Set()
    this.store?.change(this.#query)
  }

  protected override updated(): void {
    if (this.store?.$list.get().status === 'ready') this.#loadedSearch = this.search
    // The row with the focus may have left the list.
    if (this.#hadRowFocus) this.#focusFirst()
  }

  get #query(): ListQuery {
    return listQueryOf(this.list, this.search)
  }

  /** Shows another query. While the user types, each text replaces the previous one in the history. */
  #show(change: Partial<ListQuery>, history: 'adds' | 'replaces'): void {
    const search = searchOf({ ...this.#query, ...change })
    this.app.router.go(`/${this.list.path}${search}`, { replaces: history === 'replaces' })
  }

  readonly #type = (q: string) => {
    clearTimeout(this.#typing)
    this.#typing = window.setTimeout(() => this.#show({ q }, 'replaces'), typingMs)
  }

  protected override render(): TemplateResult | typeof nothing {
    const { list, store } = this
    if (store === null) return nothing
    return html`<div class="view-head">
        <h1 class="grow" tabindex="-1">${list.title}</h1>
        ${this.#newButton()}
      </div>
      ${listTools({
        list,
        query: this.#query,
        counts: store.$counts.get(),
        search: this.#type,
        sort: (sort) => this.#show({ sort }, 'adds'),
      })}
      ${this.#batch(store)}
      <div class="card">${this.#body(store)}</div>`
  }

  /** Whether the user can select documents of this list, to post them together. */
  get #isSelectable(): boolean {
    return this.list.resource === 'document' && this.workspace.may(permissionFor(this.list, 'post'))
  }

  #batch(entries: Entries): TemplateResult | typeof nothing {
    if (!this.#isSelectable) return nothing
    return html`<vk-document-batch
      class="batch"
      .session=${this.session}
      .documentType=${this.list.typeCode}
      .actions=${batchActions}
      .selection=${selectionOf(entries.$list.get().items, this.chosen)}
      @vk-batch-clear=${() => {
        this.#choose([])
        void this.#keepFocus()
      }}
      @vk-batch-done=${(event: CustomEvent<readonly string[]>) => {
        const done = new Set(event.detail)
        this.#choose([...this.chosen].filter((id) => !done.has(id)))
        void entries.load()
        void this.#keepFocus()
      }}
    ></vk-document-batch>`
  }

  /** The buttons of the batch disappear with the selection. */
  async #keepFocus(): Promise<void> {
    await this.updateComplete
    await this.querySelector('vk-document-batch')?.updateComplete
    this.#focusFirst()
  }

  /** Moves a lost focus to the first row, or to the heading. */
  #focusFirst(): void {
    if (document.activeElement !== document.body) return
    const find = (selector: string) => this.querySelector<HTMLElement>(selector)
    ;(find('tbody :is(input, a)') ?? find('h1'))?.focus()
  }

  #choose(ids: Iterable<string>): void {
    this.chosen = new Set(ids)
  }

  #toggle(id: string): void {
    const others = [...this.chosen].filter((one) => one !== id)
    this.#choose(others.length < this.chosen.size ? others : [...others, id])
  }

  #newButton(): TemplateResult | typeof nothing {
    const { list, workspace } = this
    if (!workspace.may(permissionFor(list, 'create'))) return nothing
    return html`<a class="button primary" href="/${list.path}/new">${icon('plus')} <span>New<span class="narrow-hidden"> ${list.one}</span></span></a>`
  }

  #body(entries: Entries): TemplateResult {
    const { status, items, error } = entries.$list.get()
    const isOutdated = items.length > 0 && this.#loadedSearch === this.search
    if (status === 'failed' && error !== null && !isOutdated) {
      return html`<div class="empty" role="alert">
        ${icon('warning')}
        <h2>The list could not be loaded</h2>
        <p>${messageOf(error)}</p>
        <button class="button" @click=${() => void this.retry(entries.load)}>Try again</button>
      </div>`
    }
    if (status === 'ready' && items.length === 0) {
      if (this.search !== '') return this.#nothingFound()
      return html`<div class="empty">
        ${icon(this.list.icon)}
        <h2>No ${this.list.title.toLowerCase()} yet</h2>
        <p>${this.workspace.may(permissionFor(this.list, 'create')) ? 'Create the first one.' : 'New entries will appear here.'}</p>
      </div>`
    }
    const columns = columnsOf(this.list)
    // Rows that are only loaded again stay as they are.
    const isBusy = status === 'loading' || (status === 'refreshing' && this.#loadedSearch !== this.search)
    return html`${status === 'failed' && error !== null ? this.#refreshFailure(entries, error) : nothing}
      <table class="table list-table" aria-label=${this.list.title} aria-busy=${isBusy}>
        ${listHead({ list: this.list, query: this.#query, columns, choice: this.#allBox(items) })}
        <tbody>
          ${
            items.length > 0
              ? repeat(
                  items,
                  ({ id }) => id,
                  (entry) => this.#row(entry, columns),
                )
              : Array.from({ length: 8 }, () => boneRow(columns))
          }
        </tbody>
      </table>
      ${this.#end(entries)}`
  }

  /** The rows stay, because they may still be true. */
  #refreshFailure({ load }: Entries, error: KitError): TemplateResult {
    return html`<div class="notice bad notice-row" role="alert">
      <span>The list could not be updated. ${messageOf(error)}</span>
      <button class="button small" @click=${() => void this.retry(load)}>Try again</button>
    </div>`
  }

  #nothingFound(): TemplateResult {
    const { path, title } = this.list
    const { sort } = this.#query
    return html`<div class="empty">
      ${icon('search')}
      <h2>No ${title.toLowerCase()} found</h2>
      <p>Search for something else, or <a href="/${path}${searchOf({ ...defaultQuery, sort })}">clear the filters</a>.</p>
    </div>`
  }

  #row(entry: Entry, columns: readonly Column[]): TemplateResult {
    const { desk } = this.workspace
    return html`<tr>
      <td class=${this.list.resource === 'document' ? 'tight' : nothing}>${this.#box(entry)}<a href="/${this.list.path}/${entry.id}${searchOf(this.#query)}"><bdi>${nameOf(entry)}</bdi></a></td>
      ${columns.map(
        (column) =>
          html`<td class=${column.place ?? ''} data-label=${column.label ?? nothing}>${cellOf(column, entry, desk)}</td>`,
      )}
    </tr>`
  }

  #box(entry: Entry): TemplateResult | typeof nothing {
    if (!this.#isSelectable) return nothing
    return html`<input
      type="checkbox"
      class="choice"
      aria-label="Select ${nameOf(entry)}"
      .checked=${this.chosen.has(entry.id)}
      @change=${() => this.#toggle(entry.id)}
    />`
  }

  #allBox(items: readonly Entry[]): TemplateResult | typeof nothing {
    if (!this.#isSelectable) return nothing
    const all = items.map(({ id }) => id)
    return html`<input
      type="checkbox"
      class="choice"
      aria-label="Select all shown ${this.list.title.toLowerCase()}"
      .checked=${all.length > 0 && all.every((id) => this.chosen.has(id))}
      @change=${(event: Event) => this.#choose((event.target as HTMLInputElement).checked ? all : [])}
    />`
  }

  #end({ $list, loadMore }: Entries): TemplateResult | typeof nothing {
    const { items, status, hasMore, error } = $list.get()
    if (!hasMore) return nothing
    const isLoading = status === 'loadingMore'
    // A disabled button would lose the focus. The last page removes the button: then the first new row has the focus.
    const more = async () => {
      await loadMore()
      await this.updateComplete
      if (document.activeElement !== document.body) return
      this.querySelectorAll('tbody tr').item(items.length)?.querySelector('a')?.focus()
    }
    return html`<div class="list-end">
      ${error === null ? nothing : html`<p class="field-error" role="alert">${messageOf(error)}</p>`}
      <button class="button" aria-disabled=${isLoading} @click=${() => isLoading || void more()}>
        ${error !== null ? 'Try again' : isLoading ? 'Loading…' : 'Show more'}
      </button>
    </div>`
  }
}

const batchActions: readonly BatchAction[] = [
  { code: 'post', label: 'Post', kind: 'Primary', confirmation: null },
]

const selectionOf = (items: readonly Entry[], chosen: ReadonlySet<string>): readonly BatchSelection[] =>
  items.flatMap((entry) =>
    chosen.has(entry.id) && 'documentVersion' in entry && entry.documentVersion !== undefined
      ? [{ id: entry.id, expectedVersion: entry.documentVersion, name: nameOf(entry) }]
      : [],
  )

customElements.define('demo-list', DemoList)
