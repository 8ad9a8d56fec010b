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
  /** The entry, or why there is none. */
  readonly entry: Entry | 'new' | 'loading'
  /** The query of the list, which the links keep. */
  readonly search: string
  /** The query of the links to other entries, which also keep the open panel. */
  readonly stepSearch: string
  readonly neighbours: Neighbours
  /** The button that leads to the user's tasks about the entry. */
  readonly tasks: TemplateResult | typeof nothing
  readonly tools: TemplateResult | typeof nothing
}

/** Renders the head of an entry. */
export function entryHead(head: EntryHead): TemplateResult {
  const { list, entry, search, stepSearch, neighbours, tasks, tools } = head
  const known = typeof entry === 'object' ? entry : null
  return html`<div class="entry-head">
    <div class="row">
      ${backLink(list, search)}
      <span class="grow"></span>
      ${tasks} ${entry === 'new' ? nothing : steps(list, stepSearch, neighbours)}
    </div>
    <div class="entry-title">
      <h1 tabindex="-1">${entry === 'loading' ? titleBone : html`<bdi>${known === null ? `New ${list.one}` : nameOf(known)}</bdi>`}</h1>
      ${known !== null && 'status' in known ? statusChip(known.status) : nothing}
      <span class="grow"></span>
      ${tools}
    </div>
  </div>`
}

const titleBone = html`<span class="bone title-bone"></span>`

/** Renders the link to the list, as the user has left it. */
export const backLink = ({ path, title }: ListDefinition, search: string): TemplateResult =>
  html`<a class="back" href="/${path}${search}">${icon('back')} ${title}</a>`

/**
 * Renders the links to the previous and the next entry. Without such an entry, the link has no address. It can keep the focus, so
 * that a user who steps to the last entry can step back.
 */
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
      tabindex=${id === null ? '-1' : nothing}
      aria-label="${label} ${one}"
      title=${label}
      href=${id === null ? nothing : `/${path}/${id}${search}`}
      >${icon('chevron')}</a
    >`
  return html`<span class="steps">${step(previous, 'Previous', 'previous')}${step(next, 'Next', 'next')}</span>`
}
