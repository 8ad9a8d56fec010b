import type { Tab, WorkCenterItem } from '../wire/work-center.ts'
import type { Corrections, WorkCenterLists } from './work-center-lists.ts'

/** The id of a changed item, and the item as it is now. Null if the user no longer has it. */
export type SettledItem = readonly [id: string, item: WorkCenterItem | null]

/**
 * Shows the changed items, or removes the row if the item is null. Responses to earlier requests do not undo this. Pass all items
 * of a response together, because each call can reload the shown list.
 */
export type Settle = (changes: readonly SettledItem[]) => void

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

/** Returns the function that shows changes in the lists. */
export function openCorrections(lists: Pick<WorkCenterLists, 'correct'>): Settle {
  /** The latest change of each item, numbered in the order of the changes. */
  const settled = new Map<string, { readonly item: WorkCenterItem | null; readonly at: number }>()
  let count = 0
  const corrections: Corrections = {
    count: () => count,
    apply: (tab, items, askedAt) =>
      items.flatMap((item) => {
        const later = settled.get(item.id)
        if (later === undefined || later.at <= askedAt) return [item]
        return later.item !== null && belongsTo(tab, later.item) ? [later.item] : []
      }),
  }
  return (changes) => {
    const askedAt = count
    count += 1
    for (const [id, item] of changes) settled.set(id, { item, at: count })
    lists.correct(corrections, askedAt)
  }
}
