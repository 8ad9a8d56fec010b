import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import type { Tab } from '../../wire/work-center.ts'
import type { Texts } from '../texts.ts'

/** The filters that each tab supports. */
const filtersOf: Readonly<Record<Tab, readonly (keyof WorkCenterFilters)[]>> = {
  attention: ['priority', 'severity', 'overdue', 'unread'],
  tasks: ['priority', 'overdue', 'unread'],
  notifications: ['severity', 'unread'],
  completed: ['priority'],
}

/** Returns the selected filters, without the filters that the tab does not support. */
export function filtersFor(tab: Tab, filters: WorkCenterFilters): WorkCenterFilters {
  return Object.fromEntries(
    filtersOf[tab].flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
}

export interface FilterBar {
  readonly tab: Tab
  readonly filters: WorkCenterFilters
  readonly texts: Texts['workCenter']
  change(filters: WorkCenterFilters): void
}

/** Renders the filters of a tab. */
export function filterBar({ tab, filters, texts, change }: FilterBar): TemplateResult {
  const names = filtersOf[tab]
  const set = (name: keyof WorkCenterFilters, value: string | true | undefined) => {
    const { [name]: _, ...others } = filters
    change(value === undefined ? others : { ...others, [name]: value })
  }
  const picker = (name: 'priority' | 'severity', choices: Readonly<Record<string, string>>) =>
    names.includes(name)
      ? html`<label>
          ${texts[name]}
          <select
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
            type="checkbox"
            .checked=${live(filters[name] ?? false)}
            @change=${({ target }: Event) => set(name, (target as HTMLInputElement).checked || undefined)}
          />
          ${label}
        </label>`
      : nothing
  return html`<fieldset class="filters">
    <legend class="visually-hidden">${texts.filters}</legend>
    ${picker('priority', texts.priorities)} ${picker('severity', texts.severities)}
    ${toggle('overdue', texts.overdueOnly)} ${toggle('unread', texts.unreadOnly)}
  </fieldset>`
}
