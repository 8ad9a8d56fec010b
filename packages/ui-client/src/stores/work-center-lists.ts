import type { ReadableAtom } from 'nanostores'
import type { Session } from '../session/session.ts'
import type { Priority, Severity, Tab, WorkCenterItem } from '../wire/work-center.ts'
import { createPagedList, type ListState, type PagedList } from './paged-list.ts'

/** What of a tab is listed. Filters combine. */
export interface WorkCenterFilters {
  readonly priority?: Priority
  readonly severity?: Severity
  readonly overdue?: boolean
  readonly unread?: boolean
}

/** The lists of the Work Center by tab, in the order they are shown. */
export const workCenterTabs = ['attention', 'tasks', 'notifications', 'completed'] as const satisfies Tab[]

/** Whether a tab lists an item, as far as the item tells. */
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

/** The rows of all tabs, of which one is shown and kept current. */
export interface WorkCenterLists {
  readonly $lists: Readonly<Record<Tab, ReadableAtom<ListState<WorkCenterItem>>>>
  /** Shows a tab from now on, without what was listed with other filters. Does not load. */
  show(tab: Tab, filters: WorkCenterFilters): void
  /** Loads what is shown anew. */
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Takes an item as a change has made it, or null for one that has left. Answers that were asked for before do not undo it. */
  settle(id: string, item: WorkCenterItem | null): void
  isShown(id: string): boolean
}

/** How many rows a page of a list holds. */
const pageSize = 30

/** Where what one verb came to meets pages that were asked for before it. */
export function createWorkCenterLists(
  { client }: Session,
  vertical: string | undefined,
  signal: AbortSignal,
): WorkCenterLists {
  const filtersOf: Partial<Record<Tab, WorkCenterFilters>> = {}
  let shown: Tab | null = null
  /** What verbs came to, in their order. */
  const settled = new Map<string, { readonly item: WorkCenterItem | null; readonly at: number }>()
  let settledCount = 0

  /** Rows as they are now, of an answer that was asked for when so many verbs had come to something. */
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
        const answer = await client.workCenter.items({ tab, vertical, ...filtersOf[tab], ...page })
        return { ...answer, items: current(tab, answer.items, askedAt) }
      },
    })
  const lists: Record<Tab, PagedList<WorkCenterItem>> = {
    attention: list('attention'),
    tasks: list('tasks'),
    notifications: list('notifications'),
    completed: list('completed'),
  }

  return {
    $lists: {
      attention: lists.attention.$list,
      tasks: lists.tasks.$list,
      notifications: lists.notifications.$list,
      completed: lists.completed.$list,
    },
    show(tab, filters) {
      if (JSON.stringify(filtersOf[tab] ?? {}) !== JSON.stringify(filters)) lists[tab].reset()
      filtersOf[tab] = filters
      shown = tab
    },
    load: async () => {
      if (shown !== null) await lists[shown].load()
    },
    loadMore: async () => {
      if (shown !== null) await lists[shown].loadMore()
    },
    settle(id, item) {
      const askedAt = settledCount
      settledCount += 1
      settled.set(id, { item, at: settledCount })
      for (const tab of workCenterTabs) lists[tab].change((items) => current(tab, items, askedAt))
    },
    isShown: (id) => shown !== null && lists[shown].$list.get().items.some((item) => item.id === id),
  }
}
