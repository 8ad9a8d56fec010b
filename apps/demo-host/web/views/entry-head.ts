import { html, nothing, type TemplateResult } from 'lit'
import type { Entry } from '../data/entries.ts'
import type { Neighbours } from '../data/neighbours.ts'
import { icon } from '../icons.ts'
import type { ListDefinition } from '../lists.ts'
import { nameOf } from './columns.ts'
import { statusChip } from './status-chip.ts'

/** The head of an entry: the way back to the list, the name, the status and the tools. */
interface EntryHead {
  readonly list: ListDefinition
  /** Null for a new entry. */
  readonly entry: Entry | null
  /** The query of the list, which the links keep. */
  readonly search: string
  /** The query of the links to other entries, which also keep the open panel. */
  readonly stepSearch: string
  readonly neighbours: Neighbours
  readonly tools: TemplateResult | typeof nothing
}

/** Renders the head of an entry. */
export function entryHead(head: EntryHead): TemplateResult {
  const { list, entry, search, stepSearch, neighbours, tools } = head
  const status = entry !== null && 'status' in entry ? statusChip(entry.status) : nothing
  return html`<div class="entry-head">
    <div class="row">
      ${backLink(list, search)}
      <span class="grow"></span>
      ${entry === null ? nothing : steps(list, stepSearch, neighbours)}
    </div>
    <div class="entry-title">
      <h1><bdi>${entry === null ? `New ${list.one}` : nameOf(entry)}</bdi></h1>
      ${status}
      <span class="grow"></span>
      ${tools}
    </div>
  </div>`
}

/** Renders the link to the list, as the user has left it. */
export const backLink = ({ path, title }: ListDefinition, search: string): TemplateResult =>
  html`<a class="back" href="/${path}${search}">${icon('back')} ${title}</a>`

/** Renders the links to the previous and the next entry. Without such an entry, the link has no address. */
function steps(
  { path, one }: ListDefinition,
  search: string,
  { previous, next }: Neighbours,
): TemplateResult {
  const step = (id: string | null, label: string, look: string) =>
    html`<a
      class="button quiet square small ${look}"
      role=${id === null ? 'link' : nothing}
      aria-disabled=${id === null ? 'true' : nothing}
      aria-label="${label} ${one}"
      title=${label}
      href=${id === null ? nothing : `/${path}/${id}${search}`}
      >${icon('chevron')}</a
    >`
  return html`<span class="steps">${step(previous, 'Previous', 'previous')}${step(next, 'Next', 'next')}</span>`
}
