import { html, nothing, type TemplateResult } from 'lit'
import { withNames } from '../../stores/mention-text.ts'
import type { NotesStore } from '../../stores/notes.ts'
import type { ListState } from '../../stores/paged-list.ts'
import type { Note } from '../../wire/notes.ts'
import { textsOf } from '../texts.ts'
import { noteToolsEnglish } from './tool-texts.ts'

const isBlank = (query: string): boolean => query.trim() === ''

/** Returns the loaded notes that contain the searched text, or whose authors do. */
export function foundNotes(store: NotesStore, query: string): ListState<Note> {
  const list = store.$list.get()
  if (isBlank(query)) return list
  const names = store.$names.get()
  const wanted = query.trim().toLocaleLowerCase()
  const items = list.items.filter(({ text, createdByDisplayName }) =>
    `${withNames(text, names)}\n${createdByDisplayName}`.toLocaleLowerCase().includes(wanted),
  )
  // Older notes follow the refreshed ones, so it is not known yet that none matches.
  const status = list.status === 'refreshing' && list.hasMore ? 'loadingMore' : list.status
  // The button of the search loads older notes, instead of the end of the list, which shows only a failure.
  return { ...list, status, items, hasMore: status === 'moreFailed' }
}

/** Loads older notes until one is found, or until `isWanted` returns false. Waits for a load that is in progress. */
export async function searchOlder(store: NotesStore, query: string, isWanted: () => boolean): Promise<void> {
  const mayLoad = () => store.$list.get().status === 'ready' && store.$list.get().hasMore
  await endOfLoad(store)
  while (isWanted() && !isBlank(query) && mayLoad() && foundNotes(store, query).items.length === 0) {
    await store.loadMore()
    await endOfLoad(store)
  }
}

/** Resolves when no load of the notes is in progress. */
const endOfLoad = ({ $list }: NotesStore): Promise<void> =>
  new Promise((resolve) => {
    const stop = $list.listen(look)
    look($list.get())
    function look({ status }: ListState<Note>): void {
      if (/^(loading|refreshing)/.test(status)) return
      stop()
      resolve()
    }
  })

/** Renders how many of the loaded notes match, and a button that searches older notes. */
export function searchResult(store: NotesStore, query: string): TemplateResult {
  const { notes: texts } = textsOf(noteToolsEnglish)
  const { items, hasMore, status } = store.$list.get()
  const isSearching = !isBlank(query)
  return html`<p class="small muted" role="status" ?hidden=${!isSearching}>
      ${isSearching ? (hasMore ? texts.foundSoFar : texts.found)(foundNotes(store, query).items.length, items.length) : nothing}
    </p>
    ${
      isSearching && hasMore
        ? html`<button part="button" class="small" aria-busy=${status === 'loadingMore'} @click=${() => void store.loadMore()}>
            ${texts.searchOlder}
          </button>`
        : nothing
    }`
}
