import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Page } from '../wire/business-objects.ts'
import { outcome } from './store.ts'

/**
 *     idle ──load──▶ loading ──▶ ready ──loadMore──▶ loadingMore ──▶ ready
 *                       │          │                      └────────▶ moreFailed ──loadMore──▶ loadingMore
 *                       └▶ failed  └──load──▶ refreshing ──▶ ready (or failed)
 */
export type ListStatus = 'idle' | 'loading' | 'refreshing' | 'ready' | 'loadingMore' | 'failed' | 'moreFailed'

/** A list that grows page by page. A failure keeps the rows that are there. */
export interface ListState<T> {
  readonly status: ListStatus
  readonly items: readonly T[]
  /** Whether there is a further page. */
  readonly hasMore: boolean
  /** Why it failed; null unless it has. */
  readonly error: KitError | null
}

const idleList = {
  status: 'idle',
  items: [],
  hasMore: false,
  error: null,
} as const satisfies ListState<never>

export interface PagedList<T> {
  readonly $list: ReadableAtom<ListState<T>>
  /** Loads the first page, or all that is shown anew, in its place. The newest call counts, and all wait for it. */
  load(): Promise<void>
  /** Loads the next page, once at a time; also after it has failed. */
  loadMore(): Promise<void>
  /** Changes what is shown, after a change that the service has made. */
  change(edit: (items: readonly T[]) => readonly T[]): void
  /** Shows nothing, and forgets what is on its way. */
  reset(): void
}

export interface PagedListOptions<T> {
  readonly signal: AbortSignal
  readonly pageSize: number
  fetchPage(page: { limit: number; cursor: string | null; signal: AbortSignal }): Promise<Page<T>>
}

/** What a request brings at most. */
const maxPageSize = 100

/** Pages of a list, without rows twice or answers that were overtaken. */
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
