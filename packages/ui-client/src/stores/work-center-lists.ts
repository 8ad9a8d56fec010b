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

/** Returns whether an item belongs to a tab, according to the item's fields. */
export function belongsTo(tab: Tab, item: WorkCenterItem): boolean {
  const isOpen = item.taskStatus === 'Open' || item.taskStatus === 'InProgress'
  const isTask = item.kind === 'Task'
  switch (tab) {
    case 'attention':
      return isTask ? isOpen && item.snoozedUntilUtc === null : !item.isRead && !item.isDismissed
    case 'tasks':
      return isTask && isOpen
    case 'notifications':
      return !isTask && !item.isDismissed
    case 'completed':
      return isTask && !isOpen
  }
}

/** The filters and the order of a tab. */
export interface WorkCenterView {
  readonly filters?: WorkCenterFilters
  /** Default: `newest`. */
  readonly sort?: Sort
}

/** The id of a changed item, and the item as it is now. Null if the user no longer has it. */
export type SettledItem = readonly [id: string, item: WorkCenterItem | null]

/** The lists of all tabs. Only the shown tab is kept current. */
export interface WorkCenterLists {
  readonly $lists: Readonly<Record<Tab, ReadableAtom<ListState<WorkCenterItem>>>>
  /** Selects the tab to show, and empties its list if the filters or the order have changed. Does not load the list. */
  show(tab: Tab, view: WorkCenterView): void
  /** Reloads the shown tab. Resolves with its error. */
  load(): Promise<KitError | null>
  loadMore(): Promise<void>
  /**
   * Shows the changed items, or removes the row if the item is null. Responses to earlier requests do not undo this. Pass
   * all items of a response together, because each call can reload the shown list.
   */
  settle(changes: readonly SettledItem[]): void
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
  /** The latest change of each item, numbered in the order of the changes. */
  const settled = new Map<string, { readonly item: WorkCenterItem | null; readonly at: number }>()
  let settledCount = 0

  /** Returns the items of a response with all later changes applied: the changes with a number above `askedAt`. */
  const current = (tab: Tab, items: readonly WorkCenterItem[], askedAt: number): WorkCenterItem[] =>
    items.flatMap((item) => {
      const later = settled.get(item.id)
      if (later === undefined || later.at <= askedAt) return [item]
      return later.item !== null && belongsTo(tab, later.item) ? [later.item] : []
    })

  const list = (tab: Tab): PagedList<WorkCenterItem> =>
    createPagedList({
      signal,
      pageSize,
      async fetchPage(page) {
        const askedAt = settledCount
        const { filters, sort = 'newest' } = viewOf[tab] ?? {}
        const answer = await client.workCenter.items({ tab, sort, vertical, ...filters, ...page })
        return { ...answer, items: current(tab, answer.items, askedAt) }
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
    load: async () => {
      if (shown) await lists[shown].load()
      return shown && lists[shown].$list.get().error
    },
    loadMore: async () => {
      if (shown) await lists[shown].loadMore()
    },
    settle(changes) {
      const askedAt = settledCount
      settledCount += 1
      for (const [id, item] of changes) settled.set(id, { item, at: settledCount })
      for (const tab of workCenterTabs) lists[tab].change((items) => current(tab, items, askedAt))
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
