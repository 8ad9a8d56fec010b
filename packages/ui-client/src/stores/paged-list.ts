import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Page } from '../wire/business-objects.ts'
import { outcome } from './store.ts'

/**
 * The states of a list:
 *
 *     idle ──load──▶ loading ──▶ ready ──loadMore──▶ loadingMore ──▶ ready
 *                       │          │                      └────────▶ moreFailed ──loadMore──▶ loadingMore
 *                       └▶ failed  └──load──▶ refreshing ──▶ ready (or failed)
 *
 * `idle`: not asked for yet, or ended. `loading`: the first load, no rows yet. `refreshing`: a load while rows are shown.
 * `failed`: the last load failed; rows of an earlier one stay. `moreFailed`: the next page failed; the rows stay.
 */
export type ListStatus = 'idle' | 'loading' | 'refreshing' | 'ready' | 'loadingMore' | 'failed' | 'moreFailed'

/** A list that grows page by page. A value never changes in place. A failure keeps the rows that are there. */
export interface ListState<T> {
  readonly status: ListStatus
  /** The rows of all pages so far, in the order of the service, each id once. */
  readonly items: readonly T[]
  /** Whether there is a further page. */
  readonly hasMore: boolean
  /** Why the last request failed; null unless the status is `failed` or `moreFailed`. */
  readonly error: KitError | null
}

const idleList = {
  status: 'idle',
  items: [],
  hasMore: false,
  error: null,
} as const satisfies ListState<never>

/** A list that a page shows, and the ways to change what it shows. */
export interface PagedList<T> {
  /** Idle until the first `load`, and again after `reset` or the end of `signal`. */
  readonly $list: ReadableAtom<ListState<T>>
  /**
   * Loads the first page. When rows are shown, it loads as many again and replaces them at once, so nothing jumps. The
   * answer to the newest call counts, and every call resolves when that answer is shown.
   */
  load(): Promise<void>
  /** Loads the next page, also after it has failed. Does nothing without a further page, or while a request is on its way. */
  loadMore(): Promise<void>
  /**
   * Changes the rows that are shown, after a change that the service has confirmed. A load that is on its way is repeated:
   * its answer may be from before the change.
   */
  change(edit: (items: readonly T[]) => readonly T[]): void
  /** Empties the list. Answers that are still on their way are not shown. */
  reset(): void
}

/** What a paged list is made of. */
export interface PagedListOptions<T> {
  /** Ends the list: it is empty from then on. A store's ({@link openStore}), or a session's. */
  readonly signal: AbortSignal
  /** How many rows a page holds: 1 to 100. */
  readonly pageSize: number
  /**
   * Asks the service for up to `limit` rows (1 to 100) after `cursor`; null is the start. Its `KitError` is shown as the
   * list's `error`; whatever else it throws rejects the call that asked.
   */
  fetchPage(page: { limit: number; cursor: string | null; signal: AbortSignal }): Promise<Page<T>>
}

/** The most rows that the service answers a request with. */
const maxPageSize = 100

/**
 * Makes a list that is read page by page: no row is shown twice, and no answer that a newer request has overtaken.
 * Nothing is requested before `load`. Methods resolve when the request is done; a refusal or a lost connection does not
 * reject them, it is the state's `error`.
 */
export function createPagedList<T extends { readonly id: string }>(
  options: PagedListOptions<T>,
): PagedList<T> {
  const { signal, pageSize, fetchPage } = options
  const $list = atom<ListState<T>>(idleList)
  let cursor: string | null = null
  // Grows with every load: what was asked for before belongs to a list that is not shown any more.
  let generation = 0
  let newest: Promise<void> = Promise.resolve()

  const set = (change: Partial<ListState<T>>) => {
    if (!signal.aborted) $list.set({ ...$list.get(), error: null, ...change })
  }
  const reset = () => {
    generation += 1
    newest = Promise.resolve()
    cursor = null
    $list.set(idleList)
  }
  signal.addEventListener('abort', reset, { once: true })

  /** As many rows as were shown, so that nothing jumps under who has scrolled. */
  const fetchShown = async (shownCount: number): Promise<Page<T>> => {
    const items: T[] = []
    let nextCursor: string | null = null
    do {
      const limit = Math.min(maxPageSize, Math.max(pageSize, shownCount - items.length))
      const page: Page<T> = await fetchPage({ limit, cursor: nextCursor, signal })
      items.push(...page.items)
      nextCursor = page.nextCursor
    } while (nextCursor !== null && items.length < shownCount)
    return { items: [...distinct(items)], nextCursor }
  }

  const loadAnew = async (): Promise<void> => {
    generation += 1
    const mine = generation
    const shownCount = $list.get().items.length
    set({ status: shownCount === 0 ? 'loading' : 'refreshing' })
    const result = await outcome(signal, fetchShown(shownCount))
    if (result === null) return
    if (mine !== generation) return newest
    if ('error' in result) return set({ status: 'failed', error: result.error })
    cursor = result.value.nextCursor
    set({ status: 'ready', items: result.value.items, hasMore: cursor !== null })
  }
  const load = (): Promise<void> => {
    if (!signal.aborted) newest = loadAnew()
    return newest
  }

  return {
    $list,
    load,
    async loadMore() {
      const { status, hasMore } = $list.get()
      if (signal.aborted || !hasMore || (status !== 'ready' && status !== 'moreFailed')) return
      const mine = generation
      set({ status: 'loadingMore' })
      const result = await outcome(signal, fetchPage({ limit: pageSize, cursor, signal }))
      if (result === null || mine !== generation) return
      if ('error' in result) return set({ status: 'moreFailed', error: result.error })
      cursor = result.value.nextCursor
      const items = distinct([...$list.get().items, ...result.value.items])
      set({ status: 'ready', items, hasMore: cursor !== null })
    },
    change(edit) {
      const list = $list.get()
      if (signal.aborted) return
      $list.set({ ...list, items: edit(list.items) })
      // What is on its way may have been read before the change.
      if (list.status === 'loading' || list.status === 'refreshing') void load()
    },
    reset,
  }
}

/** The first row of each id, where it is: one that has moved to a later page meanwhile comes again. */
function distinct<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  const seen = new Set<string>()
  return items.filter(({ id }) => !seen.has(id) && seen.add(id))
}
