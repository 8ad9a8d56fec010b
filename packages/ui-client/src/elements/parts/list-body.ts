import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ListState } from '../../stores/paged-list.ts'
import { $texts, errorText } from '../texts.ts'

export interface ListBody<T> {
  readonly list: ListState<T>
  /** The accessible name of the list. */
  readonly label: string
  readonly row: (item: T) => TemplateResult
  /** The content of an empty list. */
  readonly empty: TemplateResult
  readonly load: () => void
  readonly loadMore: () => void
}

/**
 * Renders a list in each of its states: placeholder rows during the first load, an error with a retry button, the rows, or
 * the `empty` content. The rows stay visible during a reload.
 */
export function listBody<T extends { readonly id: string }>(body: ListBody<T>): TemplateResult {
  const { list, label, row, empty, load, loadMore } = body
  const { common } = $texts.get()
  const isFirst = list.items.length === 0
  if (isFirst && (list.status === 'idle' || list.status === 'loading')) {
    return html`<div class="stack" aria-busy="true" aria-label=${common.loading} role="status">
      ${[0, 1, 2].map(() => html`<div class="skeleton"></div>`)}
    </div>`
  }
  return html`
    ${
      list.status === 'failed' && list.error !== null
        ? html`<div class="banner" role="alert">
            <span>${common.loadFailed} ${errorText(list.error)}</span>
            <button class="small" @click=${load}>${common.retry}</button>
          </div>`
        : nothing
    }
    ${isFirst && list.status === 'ready' ? html`<div class="empty">${empty}</div>` : nothing}
    ${
      isFirst
        ? nothing
        : html`<ul class="list" aria-label=${label}>${repeat(list.items, ({ id }) => id, row)}</ul>`
    }
    <vk-list-end .list=${list} .texts=${common} @vk-near-end=${loadMore}></vk-list-end>
  `
}
