import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Page } from '../wire/business-objects.ts'
import { onOnline, outcome } from './store.ts'

/**
 * The states of a list:
 *
 *     idle ──load──▶ loading ──▶ ready ──loadMore──▶ loadingMore ──▶ ready
 *                       │          │                      └────────▶ moreFailed ──loadMore──▶ loadingMore
 *                       └▶ failed  └──load──▶ refreshing ──▶ ready (or failed, from which loadMore loads again)
 *
 * `idle`: the list is not loaded yet, or has ended. `loading`: the first load is in progress, and no rows are shown yet.
 * `refreshing`: a load is in progress while rows are shown. `failed`: the last load failed; earlier rows stay visible.
 * `moreFailed`: the next page could not be loaded; the rows stay visible. In a browser, a list that failed because the
 * service could not be reached is refreshed when the network returns.
 */
export type ListStatus = 'idle' | 'loading' | 'refreshing' | 'ready' | 'loadingMore' | 'failed' | 'moreFailed'

/** The state of a list that loads page by page. The object is immutable. A failure keeps the loaded rows. */
export interface ListState<T> {
  readonly status: ListStatus
  /** The rows of all loaded pages, in the order of the service. Each id appears once. */
  readonly items: readonly T[]
  /** Whether the service has another page. */
  readonly hasMore: boolean
  /** The error of the last request, if the status is `failed` or `moreFailed`. A `refresh` keeps the error of a failed list. */
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
  /** The state of the list. It is `idle` before the first `load`, after `reset`, and after `signal` is aborted. */
  readonly $list: ReadableAtom<ListState<T>>
  /**
   * Loads the first page. If rows are shown, loads the same number of rows and replaces all rows in one step, so that the
   * page does not jump. If the next page is being loaded or has failed, loads its rows, too. Only the response to the newest
   * call is used. All calls resolve when this response is shown.
   */
  load(): Promise<void>
  /**
   * Loads the list like `load`, without a request of the user: for timers and changes of others. The error of a failed list stays
   * until the answer, so that its message and its button do not disappear for a moment.
   */
  refresh(): Promise<void>
  /**
   * Loads the next page, or retries what failed last: a page, or the whole list. While the list is refreshed, refreshes it again,
   * with the rows of the page. Does nothing if no next page exists, or if it is already being loaded.
   */
  loadMore(): Promise<void>
  /**
   * Applies a change to the shown rows after the service has confirmed the change. If a load is in progress, loads again,
   * because the response may be older than the change.
   */
  change(edit: (items: readonly T[]) => readonly T[]): void
  /** Empties the list. Responses to pending requests are ignored. */
  reset(): void
}

/** The options of {@link createPagedList}. */
export interface PagedListOptions<T, P extends Page<T> = Page<T>> {
  /** Aborting this signal ends and empties the list. Pass the signal of a store ({@link openStore}) or of a session. */
  readonly signal: AbortSignal
  /** Number of rows per page: 1 to 100. */
  readonly pageSize: number
  /**
   * Requests at most `limit` rows (1 to 100) after `cursor`, or the first rows if `cursor` is null. A `KitError` becomes
   * the list's `error`. Any other error rejects the method of the list that requested the page.
   */
  fetchPage(page: { limit: number; cursor: string | null; signal: AbortSignal }): Promise<P>
  /** Called with the first page when its rows are shown. Not called for a page that a newer load has replaced. */
  shown?(first: P): void
}

/** Maximum number of rows that the service returns per request. */
const maxPageSize = 100

/**
 * Creates a list that loads page by page. The first call of `load` sends the first request. The list never shows a row
 * twice, and ignores the response to a request if a newer request was sent. Methods resolve when their request is complete.
 * After a refusal or a lost connection, methods do not reject: the `KitError` becomes the `error` of the state.
 */
export function createPagedList<T extends { readonly id: string }, P extends Page<T> = Page<T>>(
  options: PagedListOptions<T, P>,
): PagedList<T> {
  const { signal, pageSize, fetchPage, shown } = options
  const $list = atom<ListState<T>>(idleList)
  let cursor: string | null = null
  // Increases with every load. Responses to requests of an earlier generation are ignored.
  let generation = 0
  let newest: Promise<void> = Promise.resolve()
  // The number of rows with the page that was requested last. A load that replaces this request, or follows its failure, must not
  // lose the page.
  let wantedCount = 0

  const set = (change: Partial<ListState<T>>) => {
    if (!signal.aborted) $list.set({ ...$list.get(), error: null, ...change })
  }
  const show = (items: readonly T[], nextCursor: string | null) => {
    cursor = nextCursor
    wantedCount = 0
    set({ status: 'ready', items, hasMore: cursor !== null })
  }
  const reset = () => {
    generation += 1
    newest = Promise.resolve()
    cursor = null
    wantedCount = 0
    $list.set(idleList)
  }
  signal.addEventListener('abort', reset)

  /** Fetches as many rows as the list shows, so that the page does not jump after the user has scrolled. */
  const fetchShown = async (shownCount: number) => {
    const items: T[] = []
    let first: P | undefined
    let page: P | undefined
    do {
      const limit = Math.min(maxPageSize, Math.max(pageSize, shownCount - items.length))
      page = await fetchPage({ limit, cursor: page?.nextCursor ?? null, signal })
      first ??= page
      items.push(...page.items)
      // An empty page ends the loop, also if it has a cursor.
    } while (page.nextCursor !== null && page.items.length > 0 && items.length < shownCount)
    return { items: distinct(items), nextCursor: page.nextCursor, first }
  }

  const reload = async (error: KitError | null): Promise<void> => {
    const mine = ++generation
    const { length } = $list.get().items
    set({ status: length === 0 ? 'loading' : 'refreshing', error })
    const result = await outcome(signal, fetchShown(Math.max(length, wantedCount)))
    if (result === null || mine !== generation) return newest
    if ('error' in result) return set({ status: 'failed', error: result.error })
    const { items, nextCursor, first } = result.value
    shown?.(first)
    show(keepEqual($list.get().items, items), nextCursor)
  }
  const start = (error: KitError | null): Promise<void> => {
    if (!signal.aborted) newest = reload(error)
    return newest
  }
  const load = () => start(null)
  const refresh = () => start(loadError($list.get()))

  const loadMore = async (): Promise<void> => {
    const { status, hasMore, items } = $list.get()
    if (status === 'failed') return load()
    // Not during the first load or that of the next page, and not after the end of the list: then it is idle.
    if (!hasMore || /idle|loading/.test(status)) return
    wantedCount = items.length + pageSize
    if (status === 'refreshing') return refresh()
    const mine = generation
    set({ status: 'loadingMore' })
    const result = await outcome(signal, fetchPage({ limit: pageSize, cursor, signal }))
    if (result === null || mine !== generation) return newest
    if ('error' in result) return set({ status: 'moreFailed', error: result.error })
    show(distinct([...$list.get().items, ...result.value.items]), result.value.nextCursor)
  }
  onOnline(signal, () => {
    if ($list.get().error?.code === 'client.unreachable') void refresh()
  })

  return {
    $list,
    load,
    refresh,
    loadMore,
    change(edit) {
      const list = $list.get()
      if (signal.aborted) return
      $list.set({ ...list, items: edit(list.items) })
      // The response to the pending load may be older than the change.
      if (list.status === 'loading' || list.status === 'refreshing') void refresh()
    },
    reset,
  }
}

/** Returns the error of the last load of the whole list, also while the list is refreshed. */
export const loadError = ({ status, error }: ListState<unknown>): KitError | null =>
  status === 'moreFailed' ? null : error

const byId = <T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.id, row]))

/** Replaces new rows by equal rows of the previous list, so that a page renders only the rows that have changed. */
function keepEqual<T extends { readonly id: string }>(
  previous: readonly T[],
  next: readonly T[],
): readonly T[] {
  const known = byId(previous)
  return next.map((row) => {
    const same = known.get(row.id)
    return same && JSON.stringify(same) === JSON.stringify(row) ? same : row
  })
}

/**
 * Removes rows with a repeated id, and keeps the newest one in the first place. A row is repeated if it has moved to a later page
 * between two requests.
 */
const distinct = <T extends { readonly id: string }>(rows: readonly T[]): readonly T[] => [
  ...byId(rows).values(),
]
