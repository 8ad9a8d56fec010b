import type { WorkCenterChange } from '../../stores/work-center-batch.ts'
import type { DueGroup } from '../../stores/work-center-due-groups.ts'
import type { BatchVerb, Priority, Severity, Sort, Tab, WorkCenterSummary } from '../../wire/work-center.ts'

/** The outcome of a change of the Work Center. */
export interface BatchDone extends Pick<WorkCenterChange, 'verb' | 'changedCount' | 'failedCount'> {
  readonly until?: string | null | undefined
}

const batchTexts: Readonly<Record<WorkCenterChange['verb'], (items: string) => string>> = {
  read: (items) => `Marked ${items} as read.`,
  unread: (items) => `Marked ${items} as unread.`,
  dismiss: (items) => `Dismissed ${items}.`,
  restore: (items) => `Restored ${items}.`,
  claim: (items) => `Claimed ${items}.`,
  release: (items) => `Released ${items}.`,
  snooze: (items) => `Changed the snooze of ${items}.`,
  forward: (items) => `Forwarded ${items}.`,
}

const severalItems = (count: number): string => (count === 1 ? '1 item' : `${count} items`)

/** Texts of the Work Center. */
export const workCenterTexts = {
  title: 'Work Center',
  tabs: {
    attention: 'Attention',
    tasks: 'Tasks',
    notifications: 'Notifications',
    completed: 'Completed',
  } satisfies Record<Tab, string> as Readonly<Record<Tab, string>>,
  empty: {
    attention: 'Nothing needs your attention.',
    tasks: 'You have no open tasks.',
    notifications: 'You have no notifications.',
    completed: 'You have no completed tasks.',
  } satisfies Record<Tab, string> as Readonly<Record<Tab, string>>,
  nothingMatches: 'No items match these filters.',
  clearFilters: 'Clear filters',
  filters: 'Filters',
  any: 'Any',
  search: 'Search',
  definition: 'Kind',
  sortBy: 'Sort by',
  sorts: { newest: 'Newest', due: 'Due date', priority: 'Priority' } satisfies Record<
    Sort,
    string
  > as Readonly<Record<Sort, string>>,
  groups: {
    overdue: 'Overdue',
    today: 'Today',
    thisWeek: 'This week',
    later: 'Later',
    undated: 'No due date',
  } satisfies Record<DueGroup, string> as Readonly<Record<DueGroup, string>>,
  priority: 'Priority',
  severity: 'Severity',
  overdueOnly: 'Overdue',
  unreadOnly: 'Unread',
  priorities: { Low: 'Low', Normal: 'Normal', High: 'High', Critical: 'Critical' } satisfies Record<
    Priority,
    string
  > as Readonly<Record<Priority, string>>,
  severities: {
    Information: 'Information',
    Success: 'Success',
    Warning: 'Warning',
    Critical: 'Critical',
  } satisfies Record<Severity, string> as Readonly<Record<Severity, string>>,
  task: 'Task',
  notification: 'Notification',
  isUnread: 'Unread',
  /** `when` is “tomorrow”, “in 3 days” or a date. */
  due: (when: string) => `Due ${when}`,
  /** `days` is “3 days”, or null for a task that is overdue since today. */
  overdue: (days: string | null) => (days === null ? 'Overdue' : `${days} overdue`),
  snoozedUntil: (instant: string) => `Snoozed until ${instant}`,
  mine: 'Claimed by you',
  onBehalfOf: (name: string) => `For ${name}`,
  cancelled: 'Cancelled',
  takeAction: 'Take action',
  yourTasks: 'Your tasks',
  yourTask: (title: string) => `Your task: ${title}`,
  claim: 'Claim',
  snooze: 'Snooze',
  forward: 'Forward',
  showNow: 'Show now',
  read: 'Mark as read',
  unread: 'Mark as unread',
  release: 'Release',
  restore: 'Restore',
  bulk: 'Change several items',
  select: 'Select',
  selectAll: 'Select all',
  selected: (count: number) => `${count} selected`,
  readAll: 'Mark all as read',
  severalItems,
  removeFilter: 'Remove',
  shortcuts: {
    title: 'Keyboard shortcuts',
    /** The effects of the keys. A key applies to the selected rows, or to the row with the focus. */
    keys: {
      j: 'Next row',
      k: 'Previous row',
      x: 'Select',
      'Shift ↑ ↓': 'Select several rows',
      Esc: 'Clear the selection',
      Enter: 'Open',
      c: 'Claim',
      s: 'Snooze',
      e: 'Done: dismiss a notification, or take the action of a task',
      z: 'Undo',
      F8: 'Go to the newest message',
      '?': 'Show this list',
    } as Readonly<Record<string, string>>,
  },
  /** The reason why a key does nothing. */
  noneFits: (verb: BatchVerb): string =>
    verb === 'dismiss' ? 'Take the action of one task at a time.' : 'These items do not allow this.',
  /** The reason why the key for Undo does nothing. */
  nothingToUndo: 'Nothing to undo.',
  /** The outcome of a change. `until` is the common end of the snoozes, or null if they have been ended. */
  batchDone: ({ verb, changedCount, failedCount, until }: BatchDone) => {
    const items = severalItems(changedCount)
    const failed = failedCount === 0 ? '' : ` ${failedCount} failed.`
    if (until === undefined) return batchTexts[verb](items) + failed
    return (until === null ? `Ended the snooze of ${items}.` : `Snoozed ${items} until ${until}.`) + failed
  },
  dismiss: 'Dismiss',
  claimed: (title: string) => `Someone else has claimed “${title}”.`,
  changed: (title: string) => `“${title}” has changed. Review it and try again.`,
  gone: (title: string) => `“${title}” is no longer in your Work Center.`,
  /** The text that screen readers announce when the counts change. */
  counts: ({ openTaskCount, overdueTaskCount, unreadNotificationCount }: WorkCenterSummary) =>
    `Open tasks: ${openTaskCount}. Overdue: ${overdueTaskCount}. Unread notifications: ${unreadNotificationCount}.`,
  needAttention: (count: number) =>
    count === 1 ? '1 item needs your attention' : `${count} items need your attention`,
  late: 'Not connected. This information may be out of date.',
}

/** The English texts of this group. */
export const workCenterEnglish = { workCenter: workCenterTexts }
