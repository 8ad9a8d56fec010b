import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { NotesStore } from '../../stores/notes.ts'
import type { NeededPart } from '../parts/needed-part.ts'
import type { TextsOf } from '../texts.ts'

/** With more notes, the panel shows a search. */
const searchableFrom = 5

/** The search, which the panel loads with the first searched text, or when the browser is idle. */
export type FoundNotes = typeof import('./found-notes.ts')

export interface NotesSearchInput {
  readonly store: NotesStore
  readonly query: string
  readonly texts: TextsOf<'notes'>['notes']
  readonly found: NeededPart<FoundNotes>
  readonly search: (query: string) => void
}

/** Renders the search field, and how many of the loaded notes match. Renders nothing for a few notes. */
export function notesSearch(input: NotesSearchInput): TemplateResult | typeof nothing {
  const { store, query, texts, found, search } = input
  if (store.$list.get().items.length <= searchableFrom && query === '') return nothing
  return html`<div part="toolbar" class="row">
      <input
        part="field"
        type="search"
        class="grow"
        aria-label=${texts.search}
        placeholder=${texts.search}
        .value=${live(query)}
        @input=${({ target }: Event) => search((target as HTMLInputElement).value)}
      />
      ${query === '' ? found.get()?.searchResult(store, query) : found.show((part) => part.searchResult(store, query))}
    </div>`
}
