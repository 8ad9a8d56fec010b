import type { WorkCenterItem } from '../wire/work-center.ts'

/** The groups of a list that is sorted by due date, in display order. */
export const dueGroups = ['overdue', 'today', 'thisWeek', 'later', 'undated'] as const
export type DueGroup = (typeof dueGroups)[number]

type Dated = Pick<WorkCenterItem, 'dueAtUtc' | 'dueOn' | 'isOverdue'>

/**
 * Returns the group of an item at this time, in the user's time zone. A week ends on Sunday. The service decides what is overdue: a
 * day that has ended here but not everywhere still counts as today.
 */
export function dueGroupOf({ dueAtUtc, dueOn, isOverdue }: Dated, now: Date): DueGroup {
  if (isOverdue) return 'overdue'
  if (dueAtUtc === null) return 'undated'
  const due = dueOn === null ? new Date(dueAtUtc) : new Date(`${dueOn}T00:00:00`)
  const day = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  if (due < day(1)) return 'today'
  return due < day(8 - (now.getDay() || 7)) ? 'thisWeek' : 'later'
}
