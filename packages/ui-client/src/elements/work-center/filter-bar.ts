import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import type { Preference, Sort, Tab } from '../../wire/work-center.ts'
import { leavingButton } from '../parts/focus.ts'
import { definitionName } from '../service-texts.ts'
import type { TextsOf } from '../texts.ts'

/**
 * The filters that each tab supports. The search is the last one: a click on the chip of another filter ends the typing, and then
 * no chip may take the place of the clicked one.
 */
const filtersOf: Readonly<Record<Tab, readonly (keyof WorkCenterFilters)[]>> = {
  attention: ['definition', 'priority', 'severity', 'overdue', 'unread', 'q'],
  tasks: ['definition', 'priority', 'overdue', 'unread', 'q'],
  notifications: ['definition', 'severity', 'unread', 'q'],
  completed: ['definition', 'priority', 'q'],
}

/** The list changes after this pause, so that not every letter of a search sends a request. */
const typingMs = 200
let typing: ReturnType<typeof setTimeout> | undefined
/** The last search text with its spaces. The search is without them, but the field keeps them while the user types. */
let typed = ''

/** Returns the selected filters, without the filters that the tab does not support. */
export function filtersFor(tab: Tab, filters: WorkCenterFilters): WorkCenterFilters {
  return Object.fromEntries(
    filtersOf[tab].flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
}

/** Returns the selected filters that the tab does not support. */
export function otherFilters(tab: Tab, filters: WorkCenterFilters): WorkCenterFilters {
  const own = filtersFor(tab, filters)
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in own)))
}

export interface FilterBar {
  readonly tab: Tab
  readonly filters: WorkCenterFilters
  readonly sort: Sort
  /** The kinds of items that the user can receive. */
  readonly definitions: readonly Preference[]
  readonly texts: TextsOf<'workCenter'>['workCenter']
  change(filters: WorkCenterFilters): void
  order(sort: Sort): void
}

/** Renders the search, the filters and the order of a tab. */
export function filterBar(bar: FilterBar): TemplateResult {
  const { tab, filters, sort, definitions, texts, change, order } = bar
  const { q = '' } = filters
  const names = filtersOf[tab]
  const set = (name: keyof WorkCenterFilters, value: string | true | undefined) => {
    const { [name]: _, ...others } = filters
    change(value === undefined ? others : { ...others, [name]: value })
  }
  const search = ({ type, target }: Event) => {
    clearTimeout(typing)
    const field = target as HTMLInputElement
    const show = () => {
      // The user has left the list before the pause ended.
      if (!field.isConnected) return
      typed = field.value
      set('q', typed.trim() || undefined)
    }
    if (type === 'input') typing = setTimeout(show, typingMs)
    else show()
  }
  const picker = (name: 'priority' | 'severity' | 'definition', choices: Readonly<Record<string, string>>) =>
    names.includes(name)
      ? html`<label>
          ${texts[name]}
          <select
            part="field"
            .value=${live(filters[name] ?? '')}
            @change=${({ target }: Event) => set(name, (target as HTMLSelectElement).value || undefined)}
          >
            <option value="">${texts.any}</option>
            ${Object.entries(choices).map(([value, label]) => html`<option value=${value}>${label}</option>`)}
          </select>
        </label>`
      : nothing
  const toggle = (name: 'overdue' | 'unread', label: string) =>
    names.includes(name)
      ? html`<label>
          <input
            part="checkbox"
            type="checkbox"
            .checked=${live(filters[name] ?? false)}
            @change=${({ target }: Event) => set(name, (target as HTMLInputElement).checked || undefined)}
          />
          ${label}
        </label>`
      : nothing
  return html`<fieldset part="toolbar" class="filters">
    <legend class="visually-hidden">${texts.filters}</legend>
    <label>
      ${texts.search}
      <input
        part="field"
        type="search"
        maxlength="200"
        .value=${typed.trim() === q ? typed : q}
        @input=${search}
        @change=${search}
      />
    </label>
    <label>
      ${texts.sortBy}
      <select
        part="field"
        .value=${live(sort)}
        @change=${({ target }: Event) => order((target as HTMLSelectElement).value as Sort)}
      >
        ${Object.entries(texts.sorts).map(([value, label]) => html`<option value=${value}>${label}</option>`)}
      </select>
    </label>
    <details>
      <summary>${texts.filters}</summary>
      <div class="filters">
        ${definitions.length < 2 ? nothing : picker('definition', namesOf(definitions))}
        ${picker('priority', texts.priorities)} ${picker('severity', texts.severities)}
        ${toggle('overdue', texts.overdueOnly)} ${toggle('unread', texts.unreadOnly)}
      </div>
    </details>
    <slot name="actions"></slot>
  </fieldset>`
}

/** Returns the names of definitions by their codes. */
export const namesOf = (definitions: readonly Preference[]): Readonly<Record<string, string>> =>
  Object.fromEntries(definitions.map((one) => [one.code, definitionName(one)]))

/** Renders the text of a list in which no row matches the filters, and a button that removes them. */
export const nothingMatches = (
  texts: Pick<TextsOf<'workCenter'>['workCenter'], 'nothingMatches' | 'clearFilters'>,
  clear: () => void,
): TemplateResult =>
  html`<p>${texts.nothingMatches}</p>
    <button part="button" class="small" @click=${leavingButton(clear)}>${texts.clearFilters}</button>`
