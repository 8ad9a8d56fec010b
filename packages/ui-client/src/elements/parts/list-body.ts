import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { type ListState, loadError } from '../../stores/paged-list.ts'
import { sharedTexts } from '../texts.ts'
import { loadFailure } from './load-failure.ts'

/** A part of a list with a heading. */
export interface ListGroup<T> {
  readonly heading: string
  readonly items: readonly T[]
}

export interface ListBody<T> {
  readonly list: ListState<T>
  /** The accessible name of the list. */
  readonly label: string
  readonly row: (item: T) => unknown
  /** The groups of the rows, with their headings, in display order. Without groups, the list has one. */
  readonly groups?: (items: readonly T[]) => readonly ListGroup<T>[]
  /** The content of an empty list. */
  readonly empty: TemplateResult
  /** Puts the slot `empty` into a slot of this list. */
  readonly inOwnSlot?: (general: TemplateResult) => TemplateResult
  /** Whether a filter can be the reason for an empty list. The page's own content for an empty list is not shown then. */
  readonly isFiltered?: boolean
  readonly load: () => void
  readonly loadMore: () => void
}

/**
 * Renders a list in each of its states: placeholder rows during the first load, an error with a retry button, the rows, or
 * the `empty` content. The rows stay visible during a reload, and an error while the list is refreshed.
 */
export function listBody<T extends { readonly id: string }>(body: ListBody<T>): TemplateResult {
  const { list, label, row, groups, empty, inOwnSlot, isFiltered = false, load, loadMore } = body
  const { common } = sharedTexts()
  const isFirst = list.items.length === 0
  const error = loadError(list)
  const general = html`<slot name="empty">${empty}</slot>`
  const rows = (name: string, items: readonly T[]) =>
    html`<ul part="list" class="list" aria-label=${name}>${repeat(items, ({ id }) => id, row)}</ul>`
  if (isFirst && error === null && (list.status === 'idle' || list.status === 'loading')) {
    return html`<div class="stack" aria-busy="true" aria-label=${common.loading} role="status">
      ${[0, 1, 2].map(() => html`<div part="loading" class="skeleton"></div>`)}
    </div>`
  }
  return html`
    ${loadFailure(error, load)}
    ${
      isFirst
        ? list.status === 'ready' || list.status === 'refreshing'
          ? html`<div part="empty" class="empty">
              ${isFiltered ? empty : (inOwnSlot?.(general) ?? general)}
            </div>`
          : nothing
        : groups === undefined
          ? rows(label, list.items)
          : repeat(
              groups(list.items),
              // Without a key, all rows after a group that appears or ends would be created again, with their dialogs and focus.
              ({ heading }) => heading,
              ({ heading, items }) =>
                html`<h3 part="heading" class="group">${heading}</h3>${rows(`${label}: ${heading}`, items)}`,
            )
    }
    <vk-list-end exportparts="button, error" .list=${list} .texts=${common} @vk-near-end=${loadMore}></vk-list-end>
  `
}
