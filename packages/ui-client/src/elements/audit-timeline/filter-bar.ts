import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { TimelineFilters } from '../../stores/audit-timeline.ts'
import type { TextsOf } from '../texts.ts'
import type { ShownTimelineFilters } from './shown-timeline.ts'

export interface FilterBar {
  readonly filters: ShownTimelineFilters
  /** Whether the timeline shows all objects: then its filters are codes of actions and types. */
  readonly isSearch: boolean
  /** The people that can be selected, by id. */
  readonly people: ReadonlyMap<string, string>
  /** The codes that the fields suggest. */
  readonly codes: Readonly<Record<'actionCode' | 'typeCode', ReadonlySet<string>>>
  readonly isExporting: boolean
  readonly texts: TextsOf<'audit'>['audit']
  change(filters: ShownTimelineFilters): void
  export(): void
}

/** Converts the days to the instants of a request. */
export function toTimelineFilters({ type, from, to, ...filters }: ShownTimelineFilters): TimelineFilters {
  const shown = type === 'details' ? undefined : type
  return { ...filters, type: shown, fromUtc: startOf(from, 0), untilUtc: startOf(to, 1) }
}

/** Returns the start of a day, or of a later one, in the user's time zone. Ignores a text that is no day, for example of a URL. */
function startOf(day: string | undefined, days: number): string | undefined {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + days)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** Renders the filters of a timeline, and the button that exports it. */
export function filterBar(bar: FilterBar): TemplateResult {
  const { filters, isSearch, people, codes, texts, change } = bar
  const set = (name: keyof ShownTimelineFilters, value: string) =>
    change({ ...filters, [name]: value || undefined })
  const picker = (name: 'type' | 'actor', label: string, choices: readonly (readonly [string, string])[]) =>
    html`<label>
      ${label}
      <select
        part="field"
        .value=${live(filters[name] ?? '')}
        @change=${({ target }: Event) => set(name, (target as HTMLSelectElement).value)}
      >
        ${choices.map(([value, text]) => html`<option value=${value} ?selected=${(filters[name] ?? '') === value}>${text}</option>`)}
      </select>
    </label>`
  const field = (
    name: 'from' | 'to' | 'actionCode' | 'typeCode',
    label: string,
    codes?: ReadonlySet<string>,
  ) =>
    html`<label>
      ${label}
      <input
        part="field"
        type=${codes ? 'text' : 'date'}
        list=${codes ? name : nothing}
        min=${(name === 'to' ? filters.from : undefined) ?? nothing}
        max=${(name === 'from' ? filters.to : undefined) ?? nothing}
        .value=${filters[name] ?? ''}
        @change=${({ target }: Event) => set(name, (target as HTMLInputElement).value.trim())}
      />
    </label>
    ${codes && html`<datalist id=${name}>${[...codes].map((code) => html`<option>${code}</option>`)}</datalist>`}`
  return html`<fieldset part="toolbar" class="filters small">
    <legend class="visually-hidden">${texts.filters}</legend>
    ${isSearch ? nothing : picker('type', texts.show, Object.entries(texts.types))}
    ${picker('actor', texts.person, [['', texts.anybody], ...people])}
    ${isSearch ? [field('actionCode', texts.action, codes.actionCode), field('typeCode', texts.objectType, codes.typeCode)] : nothing}
    ${field('from', texts.from)} ${field('to', texts.to)}
    <button part="button" type="button" class="small" aria-disabled=${bar.isExporting} @click=${() => bar.isExporting || bar.export()}>${texts.export}</button>
    <slot name="actions"></slot>
  </fieldset>`
}
