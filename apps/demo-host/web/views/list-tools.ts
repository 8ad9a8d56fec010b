import type { DocumentStatus } from '@vertical-kit/ui-client'
import { html, nothing, type TemplateResult } from 'lit'
import type { Counts } from '../data/entries.ts'
import { type ListQuery, searchOf, statuses } from '../data/list-query.ts'
import { icon } from '../icons.ts'
import type { ListDefinition } from '../lists.ts'
import { statusLabel } from './status-chip.ts'

/** The tools of a list: what it shows, and what to do when the user changes that. */
export interface ListTools {
  readonly list: ListDefinition
  readonly query: ListQuery
  readonly counts: Counts | null
  /** The user types a search text. */
  readonly search: (q: string) => void
  /** The user selects an order. */
  readonly sort: (sort: string) => void
}

/** The service counts to this number. */
const maxCount = 1_000

/** Renders the search, the filters by status, and for narrow screens the choice of the order. */
export function listTools({ list, query, counts, search, sort }: ListTools): TemplateResult {
  const label = `Search ${list.title.toLowerCase()}`
  return html`<div class="list-tools">
    <form
      class="list-search"
      role="search"
      @submit=${(event: Event) => {
        event.preventDefault()
        search(new FormData(event.target as HTMLFormElement).get('q') as string)
      }}
    >
      ${icon('search')}
      <input
        class="input"
        type="search"
        name="q"
        aria-label=${label}
        placeholder=${list.searched}
        autocomplete="off"
        maxlength="100"
        .value=${query.q}
        @input=${(event: Event) => search((event.target as HTMLInputElement).value)}
      />
    </form>
    <label class="list-sort">
      <span class="visually-hidden">Order</span>
      <select class="input" @change=${(event: Event) => sort((event.target as HTMLSelectElement).value)}>
        ${list.sorts.map(
          ({ value, label }) =>
            html`<option value=${value} .selected=${value === query.sort}>${label}</option>`,
        )}
      </select>
    </label>
    ${list.resource === 'document' ? statusFilters(list, query, counts) : nothing}
    <p class="visually-hidden" role="status">${counts === null ? '' : foundText(list, query, counts)}</p>
  </div>`
}

function statusFilters(list: ListDefinition, query: ListQuery, counts: Counts | null): TemplateResult {
  const filter = (status: DocumentStatus | null, label: string) =>
    html`<li>
      <a
        class="filter"
        href="/${list.path}${searchOf({ ...query, status })}"
        aria-current=${status === query.status ? 'true' : nothing}
        >${label} <span class="count">${counts === null ? nothing : countText(counts, status)}</span></a
      >
    </li>`
  return html`<nav aria-label="Status">
    <ul class="filters">
      ${filter(null, 'All')} ${statuses.map((status) => filter(status, statusLabel(status)))}
    </ul>
  </nav>`
}

/** Returns the number of entries with a status, or of all entries. */
function countOf(counts: Counts, status: DocumentStatus | null): number {
  if (status !== null) return counts[status] ?? 0
  return Object.values(counts).reduce((one, other) => one + other, 0)
}

function countText(counts: Counts, status: DocumentStatus | null): string {
  const count = countOf(counts, status)
  return count < maxCount ? String(count) : '999+'
}

/** Returns the announcement for screen readers. */
function foundText({ title, one }: ListDefinition, { status }: ListQuery, counts: Counts): string {
  const count = countText(counts, status)
  return `${count} ${count === '1' ? one : title.toLowerCase()}`
}
