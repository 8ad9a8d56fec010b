import type { SnoozePreset } from '../../stores/work-center-snooze.ts'
import type { Priority, Severity, Tab, WorkCenterSummary } from '../../wire/work-center.ts'

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
    completed: 'No tasks have been completed yet.',
  } satisfies Record<Tab, string> as Readonly<Record<Tab, string>>,
  nothingMatches: 'No items match these filters.',
  clearFilters: 'Clear filters',
  filters: 'Filters',
  any: 'Any',
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
  unread: 'Unread',
  due: (day: string) => `Due ${day}`,
  overdue: (day: string) => `Overdue since ${day}`,
  snoozedUntil: (instant: string) => `Snoozed until ${instant}`,
  mine: 'Claimed by you',
  cancelled: 'Cancelled',
  takeAction: 'Take action',
  yourTasks: 'Your tasks',
  yourTask: (title: string) => `Your task: ${title}`,
  open: 'Open',
  claim: 'Claim',
  snooze: 'Snooze',
  showNow: 'Show now',
  read: 'Mark as read',
  dismiss: 'Dismiss',
  snoozeTitle: 'Snooze until',
  presets: {
    inOneHour: 'In one hour',
    thisEvening: 'This evening',
    tomorrowMorning: 'Tomorrow morning',
    nextWeek: 'Next week',
  } satisfies Record<SnoozePreset['code'], string> as Readonly<Record<SnoozePreset['code'], string>>,
  otherTime: 'Choose a date and time',
  mustBeAhead: 'Choose a time in the future.',
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
