import { html, nothing, type TemplateResult } from 'lit'
import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import { closeIcon } from '../parts/icons.ts'
import { type FilterBar, namesOf } from './filter-bar.ts'

/** Renders the search, the filters and the order of a tab as chips that remove them. Nothing for the default view. */
export function viewChips(bar: FilterBar): TemplateResult | typeof nothing {
  const { filters, sort, texts, change, order } = bar
  const chip = (label: string, remove: () => void) =>
    html`<button part="chip" class="chip small" aria-label="${texts.removeFilter}: ${label}" @click=${remove}>
      <bdi>${label}</bdi> ${closeIcon}
    </button>`
  const chips = (Object.keys(filters) as (keyof WorkCenterFilters)[]).map((name) => {
    const { [name]: _, ...others } = filters
    return chip(labelOf(name, bar), () => change(others))
  })
  if (sort !== 'newest') chips.unshift(chip(`${texts.sortBy}: ${texts.sorts[sort]}`, () => order('newest')))
  return chips.length === 0
    ? nothing
    : html`<div class="row chips" role="group" aria-label=${texts.filters}>${chips}</div>`
}

function labelOf(name: keyof WorkCenterFilters, { filters, definitions, texts }: FilterBar): string {
  switch (name) {
    case 'q':
      return `${texts.search}: ${filters.q}`
    case 'priority':
      return `${texts.priority}: ${texts.priorities[filters.priority ?? 'Normal']}`
    case 'severity':
      return `${texts.severity}: ${texts.severities[filters.severity ?? 'Information']}`
    case 'definition':
      return `${texts.definition}: ${namesOf(definitions)[filters.definition ?? ''] ?? filters.definition}`
    case 'overdue':
      return texts.overdueOnly
    case 'unread':
      return texts.unreadOnly
    case 'source':
      return filters.source ?? ''
  }
}
