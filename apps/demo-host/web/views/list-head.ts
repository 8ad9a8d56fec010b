import { html, nothing, type TemplateResult } from 'lit'
import { type ListQuery, searchOf } from '../data/list-query.ts'
import { icon } from '../icons.ts'
import { type ListDefinition, newestFirst } from '../lists.ts'
import { type Column, firstColumn } from './columns.ts'

interface ListHead {
  readonly list: ListDefinition
  readonly query: ListQuery
  readonly columns: readonly Column[]
  /** The control before the first heading. */
  readonly choice: TemplateResult | typeof nothing
}

/** Renders the headings of a list. A heading with a sort key is a link: it sorts the list, reverses this order, then ends it. */
export function listHead({ list, query, columns, choice }: ListHead): TemplateResult {
  const first = firstColumn(list)
  return html`<thead>
    <tr>
      <th scope="col" aria-sort=${directionOf(query, first)}>${choice}${heading(list, query, first)}</th>
      ${columns.map(
        (column) =>
          html`<th scope="col" class=${column.place ?? ''} aria-sort=${directionOf(query, column)}>
            ${heading(list, query, column)}
          </th>`,
      )}
    </tr>
  </thead>`
}

type Heading = Pick<Column, 'heading' | 'sortKey'>

const directionOf = ({ sort }: ListQuery, { sortKey }: Heading) =>
  sort === sortKey ? 'ascending' : sort === `-${sortKey}` ? 'descending' : nothing

function heading(list: ListDefinition, query: ListQuery, { heading, sortKey }: Heading) {
  if (sortKey === undefined) return heading
  const direction = directionOf(query, { heading, sortKey })
  // The first option of a key is its usual direction, for example the largest amount first.
  const usual = list.sorts.find(({ value }) => value.replace('-', '') === sortKey)?.value ?? sortKey
  const reversed = usual.startsWith('-') ? sortKey : `-${sortKey}`
  const sort = direction === nothing ? usual : query.sort === usual ? reversed : newestFirst
  return html`<a class="sort" href="/${list.path}${searchOf({ ...query, sort })}">${heading}${icon('caret')}</a>`
}

/** Renders a placeholder row with the height of a loaded row, so that the page does not move. */
export const boneRow = (columns: readonly Column[]): TemplateResult =>
  html`<tr class="bone-row" aria-hidden="true">
    ${[null, ...columns].map((column) => html`<td class=${column?.place ?? ''}><span class="bone"></span></td>`)}
  </tr>`
