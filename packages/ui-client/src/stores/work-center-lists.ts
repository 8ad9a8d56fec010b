import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { ItemFilters, ReadAll } from '../client/work-center.ts'
import type { Session } from '../session/session.ts'
import type { Sort, Tab, WorkCenterItem } from '../wire/work-center.ts'
import { createPagedList, type ListState, type PagedList } from './paged-list.ts'

/** The filters of a tab. An item must match all of them. */
export type WorkCenterFilters = Omit<ItemFilters, 'vertical'>

/** The tabs of the Work Center, in display order. */
export const workCenterTabs = ['attention', 'tasks', 'notifications', 'completed'] as const satisfies Tab[]

/** The filters and the order of a tab. */
export interface WorkCenterView {
  readonly filters?: WorkCenterFilters
  /** Default: `newest`. */
  readonly sort?: Sort
}

/** The changes that the user has made. They correct the responses to requests that were sent before. */
export interface Corrections {
  count(): number
  /** Returns the items of a response with the later changes: those above the number of changes when it was requested. */
  apply(tab: Tab, items: readonly WorkCenterItem[], askedAt: number): WorkCenterItem[]
}

/** The lists of all tabs. Only the shown tab is kept current. */
export interface WorkCenterLists {
  readonly $lists: Readonly<Record<Tab, ReadableAtom<ListState<WorkCenterItem>>>>
  /** Selects the tab to show, and empties its list if the filters or the order have changed. Does not load the list. */
  show(tab: Tab, view: WorkCenterView): void
  /** Reloads the shown tab, like the method of {@link PagedList}. Resolves with its error. */
  load(how: 'load' | 'refresh'): Promise<KitError | null>
  loadMore(): Promise<void>
  /** Applies the changes after `askedAt` to the shown rows. Later responses are corrected, too. */
  correct(by: Corrections, askedAt: number): void
  isShown(id: string): boolean
  /** The rows of the shown tab. */
  items(): readonly WorkCenterItem[]
  /** Selects all items of the shown list that had arrived when its first page was read; null before that. */
  seen(): ReadAll | null
}

/** Number of rows per page of a list. */
const pageSize = 30

/** Creates the lists. If a page was requested before a change, its response is corrected with the changed item. */
export function createWorkCenterLists(
  { client }: Session,
  vertical: string | undefined,
  signal: AbortSignal,
): WorkCenterLists {
  const viewOf: Partial<Record<Tab, WorkCenterView>> = {}
  /** The moment of the shown first page of each list. */
  const throughOf: Partial<Record<Tab, string>> = {}
  let shown: Tab | null = null
  let corrections: Corrections | undefined

  const list = (tab: Tab): PagedList<WorkCenterItem> =>
    createPagedList({
      signal,
      pageSize,
      async fetchPage(page) {
        const askedAt = corrections?.count() ?? 0
        const { filters, sort = 'newest' } = viewOf[tab] ?? {}
        const answer = await client.workCenter.items({ tab, sort, vertical, ...filters, ...page })
        return { ...answer, items: corrections?.apply(tab, answer.items, askedAt) ?? answer.items }
      },
      shown({ readThrough }) {
        throughOf[tab] = readThrough
      },
    })
  const ofTabs = <T>(one: (tab: Tab) => T) =>
    Object.fromEntries(workCenterTabs.map((tab) => [tab, one(tab)])) as Record<Tab, T>
  const lists = ofTabs(list)

  const items = () => (shown ? lists[shown].$list.get().items : [])

  return {
    $lists: ofTabs((tab) => lists[tab].$list),
    show(tab, view) {
      if (JSON.stringify(viewOf[tab] ?? {}) !== JSON.stringify(view)) {
        lists[tab].reset()
        delete throughOf[tab]
      }
      viewOf[tab] = view
      shown = tab
    },
    load: async (how) => {
      if (shown) await lists[shown][how]()
      return shown && lists[shown].$list.get().error
    },
    loadMore: async () => {
      if (shown) await lists[shown].loadMore()
    },
    correct(by, askedAt) {
      corrections = by
      for (const tab of workCenterTabs) lists[tab].change((items) => by.apply(tab, items, askedAt))
    },
    isShown: (id) => items().some((item) => item.id === id),
    items,
    seen() {
      const through = shown && throughOf[shown]
      return shown && through
        ? { tab: shown, filters: { vertical, ...viewOf[shown]?.filters }, through }
        : null
    },
  }
}
