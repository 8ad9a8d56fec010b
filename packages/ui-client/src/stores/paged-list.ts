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
 * `idle`: not loaded yet, or ended. `loading`: the first load, no rows yet. `refreshing`: a load while rows are shown.
 * `failed`: the last load failed; rows of an earlier one stay. `moreFailed`: the next page failed; the rows stay.
 */
export type ListStatus = 'idle' | 'loading' | 'refreshing' | 'ready' | 'loadingMore' | 'failed' | 'moreFailed'

/** The state of a list that grows page by page. It never changes in place. A failure keeps the loaded rows. */
export interface ListState<T> {
  readonly status: ListStatus
  /** The rows of all loaded pages, in the order of the service. Each id appears once. */
  readonly items: readonly T[]
  /** Whether the service has another page. */
  readonly hasMore: boolean
  /** The error of the last request; null unless the status is `failed` or `moreFailed`. */
  readonly error: KitError | null
}

const idleList = {
  status: 'idle',
  items: [],
  hasMore: false,
  error: null,
} as const satisfies ListState<never>

/** A list, and the methods that change it. */
export interface PagedList<T> {
  /** The list. Idle until the first `load`, and again after `reset` or when `signal` is aborted. */
  readonly $list: ReadableAtom<ListState<T>>
  /**
   * Loads the first page. If rows are shown, loads as many again and replaces them in one step, so the page does not jump.
   * Only the answer to the newest call is used, and every call resolves when that answer is shown.
   */
  load(): Promise<void>
  /** Loads the next page, or retries it after a failure. Does nothing without a next page or during another request. */
  loadMore(): Promise<void>
  /**
   * Changes the shown rows after a change that the service has confirmed. Repeats a load in progress, because its answer
   * may predate the change.
   */
  change(edit: (items: readonly T[]) => readonly T[]): void
  /** Empties the list. Answers to pending requests are ignored. */
  reset(): void
}

/** The options of {@link createPagedList}. */
export interface PagedListOptions<T> {
  /** Ends the list: it is empty afterwards. Pass the signal of a store ({@link openStore}) or of a session. */
  readonly signal: AbortSignal
  /** Rows per page: 1 to 100. */
  readonly pageSize: number
  /**
   * Requests up to `limit` rows (1 to 100) after `cursor`; null is the start. A `KitError` becomes the list's `error`. Any
   * other error rejects the method that requested the page.
   */
  fetchPage(page: { limit: number; cursor: string | null; signal: AbortSignal }): Promise<Page<T>>
}

/** Maximum number of rows that the service returns per request. */
const maxPageSize = 100

/**
 * Creates a list that loads page by page. It never shows a row twice, and ignores an answer if a newer request was sent.
 * The first request is sent by `load`. Methods resolve when their request is done; a refusal or a lost connection does not
 * reject them but becomes the state's `error`.
 */
export function createPagedList<T extends { readonly id: string }>(
  options: PagedListOptions<T>,
): PagedList<T> {
  const { signal, pageSize, fetchPage } = options
  const $list = atom<ListState<T>>(idleList)
  let cursor: string | null = null
  // Grows with every load. Answers to requests of an earlier generation are ignored.
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

  /** Fetches as many rows as are shown, so that the page does not jump after the user has scrolled. */
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

  const reload = async (): Promise<void> => {
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
    if (!signal.aborted) newest = reload()
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
      // The pending answer may predate the change.
      if (list.status === 'loading' || list.status === 'refreshing') void load()
    },
    reset,
  }
}

/** Keeps the first row of each id. A row repeats if it moved to a later page between two requests. */
function distinct<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  const seen = new Set<string>()
  return items.filter(({ id }) => !seen.has(id) && seen.add(id))
}
