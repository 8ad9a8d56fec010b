import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ListState } from '../../stores/paged-list.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { formatBytes } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'
import { type FileSort, type FilesView, fileSorts } from './files-view.ts'

export interface FilesHead {
  readonly list: ListState<Attachment>
  /** The files that match the search. */
  readonly shown: readonly Attachment[]
  readonly view: FilesView
  readonly texts: TextsOf<'attachments'>['attachments']
  change(view: FilesView): void
}

/** Renders the number and the size of the files, and from two files the search and the order. */
export function filesHead({ list, shown, view, texts, change }: FilesHead): TemplateResult | typeof nothing {
  const { items, hasMore } = list
  if (items.length === 0) return nothing
  const size = formatBytes(shown.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0))
  const isPart = view.query !== '' || hasMore
  return html`<h3 part="heading">
      ${isPart ? texts.someFiles(shown.length, size) : texts.allFiles(items.length, size)}
      ${hasMore ? texts.moreFiles : nothing}
    </h3>
    <p class="visually-hidden" role="status">
      ${view.query === '' ? nothing : texts.someFiles(shown.length, size)}
    </p>
    ${
      items.length < 2
        ? nothing
        : html`<div part="toolbar" class="row tools">
            <input
              part="field"
              type="search"
              size="9"
              aria-label=${texts.search}
              placeholder=${texts.search}
              .value=${live(view.query)}
              @input=${({ target }: Event) => change({ ...view, query: (target as HTMLInputElement).value })}
            />
            <select
              part="field"
              aria-label=${texts.sort}
              @change=${({ target }: Event) =>
                change({ ...view, sort: (target as HTMLSelectElement).value as FileSort })}
            >
              ${fileSorts.map(
                (sort) =>
                  html`<option value=${sort} ?selected=${sort === view.sort}>${texts.sorts[sort]}</option>`,
              )}
            </select>
          </div>`
    }`
}
