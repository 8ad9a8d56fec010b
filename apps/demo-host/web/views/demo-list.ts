import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { EntriesState, Entry } from '../data/entries.ts'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'
import { LightElement } from '../light-element.ts'
import { type ListDefinition, permissionFor } from '../lists.ts'
import { StoreController } from '../store-controller.ts'
import type { Workspace } from '../workspace.ts'
import { type Column, columnsOf, nameOf } from './columns.ts'

type Ready = Extract<EntriesState, { status: 'ready' }>

/** The entries of one list: newest first, page by page. */
export class DemoList extends LightElement {
  static override properties = { workspace: { attribute: false }, list: { attribute: false } }
  declare workspace: Workspace
  declare list: ListDefinition
  readonly #stores = new StoreController(this)

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('list') && !changed.has('workspace')) return
    const { desk } = this.workspace
    const entries = desk.entriesOf(this.list)
    this.#stores.watch(entries.$state, desk.customers.$items, desk.invoices.$items)
    this.#load()
  }

  /** The entries, and the names that are shown with them. */
  readonly #load = () => {
    const { desk } = this.workspace
    void this.#entries.load()
    if (this.list.resource === 'document') desk.customers.load()
    if (this.list.path === 'payments') desk.invoices.load()
  }

  protected override render(): TemplateResult {
    const { list, workspace } = this
    const state = workspace.desk.entriesOf(list).$state.get()
    return html`<div class="view-head">
        <h1 class="grow">${list.title}</h1>
        ${this.#newButton()}
      </div>
      <div class="card">${this.#body(state)}</div>`
  }

  #newButton(): TemplateResult | typeof nothing {
    const { list, workspace } = this
    if (!workspace.may(permissionFor(list, 'create'))) return nothing
    return html`<a class="button primary" href="/${list.path}/new">${icon('plus')} <span>New<span class="narrow-hidden"> ${list.one}</span></span></a>`
  }

  #body(state: EntriesState): TemplateResult {
    if (state.status === 'failed') {
      return html`<div class="empty" role="alert">
        ${icon('warning')}
        <h2>This list could not be read</h2>
        <p>${messageOf(state.error)}</p>
        <button class="button" @click=${this.#load}>Try again</button>
      </div>`
    }
    if (state.status === 'ready' && state.items.length === 0) {
      return html`<div class="empty">
        ${icon(this.list.icon)}
        <h2>No ${this.list.title.toLowerCase()} yet</h2>
        <p>${this.workspace.may(permissionFor(this.list, 'create')) ? 'The first one is a click away.' : 'When there are some, they are here.'}</p>
      </div>`
    }
    const columns = columnsOf(this.list)
    return html`<table class="table list-table" aria-label=${this.list.title} aria-busy=${state.status === 'loading'}>
        <thead>
          <tr>
            <th scope="col">${this.list.resource === 'document' ? 'Number' : 'Name'}</th>
            ${columns.map(({ heading, place = '' }) => html`<th scope="col" class=${place}>${heading}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${
            state.status === 'ready'
              ? repeat(
                  state.items,
                  ({ id }) => id,
                  (entry) => this.#row(entry, columns),
                )
              : Array.from({ length: 8 }, () => boneRow(columns))
          }
        </tbody>
      </table>
      ${state.status === 'ready' ? this.#end(state) : nothing}`
  }

  #row(entry: Entry, columns: readonly Column[]): TemplateResult {
    const { desk } = this.workspace
    return html`<tr>
      <td class=${this.list.resource === 'document' ? 'tight' : nothing}><a href="/${this.list.path}/${entry.id}"><bdi>${nameOf(entry)}</bdi></a></td>
      ${columns.map(
        ({ cell, place = '', label }) =>
          html`<td class=${place} data-label=${label ?? nothing}>${cell(entry, desk)}</td>`,
      )}
    </tr>`
  }

  #end({ nextCursor, more }: Ready): TemplateResult | typeof nothing {
    if (nextCursor === null) return nothing
    const isFailed = typeof more === 'object'
    return html`<div class="list-end">
      ${isFailed ? html`<p class="field-error" role="alert">${messageOf(more)}</p>` : nothing}
      <button class="button" ?disabled=${more === 'loading'} @click=${() => void this.#entries.loadMore()}>
        ${isFailed ? 'Try again' : more === 'loading' ? 'Loading…' : 'Show more'}
      </button>
    </div>`
  }

  get #entries() {
    return this.workspace.desk.entriesOf(this.list)
  }
}

/** A row of the height of those to come, so that nothing moves when they do. */
const boneRow = (columns: readonly Column[]): TemplateResult =>
  html`<tr class="bone-row" aria-hidden="true">
    ${[null, ...columns].map((column) => html`<td class=${column?.place ?? ''}><span class="bone"></span></td>`)}
  </tr>`

customElements.define('demo-list', DemoList)
