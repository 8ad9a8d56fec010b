import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { App } from '../app.ts'
import type { Entries, Entry } from '../data/entries.ts'
import { keepCurrent } from '../data/keep-current.ts'
import { type ListQuery, listQueryOf, searchOf, typingMs } from '../data/list-query.ts'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'
import { LightStoreElement } from '../light-element.ts'
import { type ListDefinition, permissionFor } from '../lists.ts'
import type { Workspace } from '../workspace.ts'
import { type Column, cellOf, columnsOf, nameOf } from './columns.ts'
import { boneRow, listHead } from './list-head.ts'
import { batchActions, type Chosen, selectionOf, versionOf } from './list-selection.ts'
import { listEmpty, listFailed, listOutdated } from './list-states.ts'
import { listTools } from './list-tools.ts'

/** The pointer is at rest after this time without a move. */
const pointingMs = 5_000

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
  /** The selected documents. */
  declare chosen: Chosen
  #hadRowFocus = false
  /** The timer of a typed search text. */
  #typing = 0
  #left = new AbortController()
  /** The query of the URL to which the rows belong. */
  #loadedSearch: string | null = null
  #pointedAtMs = Number.NEGATIVE_INFINITY
  protected readonly storeProperties = ['session', 'list']

  constructor() {
    super()
    this.chosen = new Map()
  }

  protected override openStore(_session: Session): Entries {
    this.chosen = new Map()
    // A text that was typed for another list.
    clearTimeout(this.#typing)
    const entries = this.workspace.desk.entriesOf(this.list)
    entries.open(this.#query)
    // The list keeps the rows only if they belong to this query.
    this.#loadedSearch = entries.$list.get().items.length > 0 ? this.search : null
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
      mayRefresh: () => this.#mayRefresh,
      load: () => this.store?.refresh(),
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
    if (isOpen && changed.has('search') && !changed.has('list')) {
      this.chosen = new Map()
      this.store?.change(this.#query)
    } else if (this.store?.$list.get().status === 'ready' && !this.#isCurrent) this.#forgetHidden(this.store)
  }

  /** Forgets what the user has selected among the rows of the previous query: its documents can come back with another page. */
  #forgetHidden({ $list }: Entries): void {
    const shown = new Set($list.get().items.map(({ id }) => id))
    this.chosen = new Map([...this.chosen].filter(([id]) => shown.has(id)))
  }

  protected override updated(): void {
    if (this.store?.$list.get().status === 'ready') this.#loadedSearch = this.search
    // The row with the focus may have left the list.
    if (this.#hadRowFocus) this.#focusFirst()
  }

  /** Not during a request, and not while the user points at a row: it would move away. A pointer at rest can stay for hours. */
  get #mayRefresh(): boolean {
    const status = this.store?.$list.get().status ?? 'idle'
    const isShown = this.#isCurrent && ['ready', 'failed', 'moreFailed'].includes(status)
    return isShown && performance.now() - this.#pointedAtMs > pointingMs
  }

  /** Whether the rows belong to the query of the URL. */
  get #isCurrent(): boolean {
    return this.#loadedSearch === this.search
  }

  get #query(): ListQuery {
    return listQueryOf(this.list, this.search)
  }

  /** Shows another query. While the user types, each text replaces the previous one in the history. */
  #show(change: Partial<ListQuery>, history: 'adds' | 'replaces'): void {
    const search = searchOf({ ...this.#query, ...change })
    this.app.router.go(`/${this.list.path}${search}`, { replaces: history === 'replaces' })
  }

  readonly #point = () => {
    this.#pointedAtMs = performance.now()
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
        void this.#finishBatch(entries, new Set(event.detail))
      }}
    ></vk-document-batch>`
  }

  /** The documents that failed stay selected. The user has seen the reasons, so the next attempt is for what is then shown. */
  async #finishBatch(entries: Entries, done: ReadonlySet<string>): Promise<void> {
    const failed = new Map([...this.chosen].filter(([id]) => !done.has(id)))
    this.chosen = failed
    void this.#keepFocus()
    await entries.load()
    // During the load, the user may have selected others, or opened another list.
    if (this.chosen === failed) this.#choose(entries.$list.get().items.filter(({ id }) => failed.has(id)))
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

  /** Selects documents in the versions that the list shows. */
  #choose(entries: readonly Entry[]): void {
    this.chosen = new Map(entries.map((entry) => [entry.id, versionOf(entry)]))
  }

  #toggle(entry: Entry): void {
    const chosen = new Map(this.chosen)
    if (!chosen.delete(entry.id)) chosen.set(entry.id, versionOf(entry))
    this.chosen = chosen
  }

  #newButton(): TemplateResult | typeof nothing {
    const { list, workspace } = this
    if (!workspace.may(permissionFor(list, 'create'))) return nothing
    return html`<a class="button primary" href="/${list.path}/new">${icon('plus')} <span>New<span class="narrow-hidden"> ${list.one}</span></span></a>`
  }

  #body(entries: Entries): TemplateResult {
    const { status, items, error } = entries.$list.get()
    const isCurrent = this.#isCurrent
    const retry = () => void this.retry(entries.load)
    const failure = status === 'moreFailed' ? null : error
    if (failure !== null && !isCurrent) return listFailed(failure, retry)
    const notice = failure === null ? nothing : listOutdated(failure, retry)
    if (items.length === 0 && (isCurrent || status === 'ready'))
      return html`${notice} ${listEmpty(this.workspace, this.list, this.#query)}`
    const columns = columnsOf(this.list)
    const isBusy = !isCurrent && status !== 'ready'
    return html`${notice}
      <table class="table list-table" aria-label=${this.list.title} aria-busy=${isBusy}>
        ${listHead({ list: this.list, query: this.#query, columns, choice: this.#allBox(items) })}
        <tbody @pointermove=${this.#point}>
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
      @change=${() => this.#toggle(entry)}
    />`
  }

  #allBox(items: readonly Entry[]): TemplateResult | typeof nothing {
    if (!this.#isSelectable) return nothing
    return html`<input
      type="checkbox"
      class="choice"
      aria-label="Select all shown ${this.list.title.toLowerCase()}"
      .checked=${live(items.length > 0 && items.every(({ id }) => this.chosen.has(id)))}
      @change=${(event: Event) => this.#choose((event.target as HTMLInputElement).checked ? items : [])}
    />`
  }

  #end({ $list, loadMore }: Entries): TemplateResult | typeof nothing {
    const { items, status, hasMore, error } = $list.get()
    const hasFailed = status === 'moreFailed' && error !== null
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
      ${hasFailed ? html`<p class="field-error" role="alert">${messageOf(error)}</p>` : nothing}
      <button class="button" aria-disabled=${isLoading} @click=${() => isLoading || void more()}>
        ${hasFailed ? 'Try again' : isLoading ? 'Loading…' : 'Show more'}
      </button>
    </div>`
  }
}

customElements.define('demo-list', DemoList)
