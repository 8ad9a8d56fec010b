import type { Page } from './business-objects.ts'
import type { NavigationTarget } from './documents.ts'
import type { ProblemDetails } from './problem.ts'

/** A task requests work; a notification only informs. */
export type ItemKind = 'Task' | 'Notification'

/** The priority of a task. Notifications have a severity instead. */
export type Priority = 'Low' | 'Normal' | 'High' | 'Critical'

/** The severity of a notification. Tasks have a priority instead. */
export type Severity = 'Information' | 'Success' | 'Warning' | 'Critical'

/** `InProgress`: a user has claimed the task. `Cancelled`: its work is no longer needed. */
export type TaskStatus = 'Open' | 'InProgress' | 'Completed' | 'Cancelled'

/** The tabs of the Work Center. */
export type Tab = 'attention' | 'tasks' | 'notifications' | 'completed'

/** A text that the client translates: the key of a template and the values of its placeholders. */
export interface ItemText {
  key: string
  parameters: { [name: string]: string }
}

/** A task or notification as its reader sees it. */
export interface WorkCenterItem {
  id: string
  kind: ItemKind
  code: string
  title: string
  description: string
  /** The texts for clients that translate them; `title` and `description` are the plain texts. */
  titleText: ItemText | null
  descriptionText: ItemText | null
  /** The business object that the item is about. */
  source: {
    resourceKind: string
    resourceCode: string
    entityId: string
    title: string
    subtitle: string | null
  }
  priority: Priority | null
  severity: Severity | null
  taskStatus: TaskStatus | null
  sortAtUtc: string
  dueAtUtc: string | null
  /** The due day of a task that is due on a day, such as `2026-11-30`: the same day in every time zone. */
  dueOn: string | null
  isOverdue: boolean
  isRead: boolean
  isDismissed: boolean
  snoozedUntilUtc: string | null
  assignment: {
    assignedUserId: string | null
    assignedRoleId: string | null
    claimedByUserId: string | null
    isRoleAssigned: boolean
  } | null
  primaryActionCode: string | null
  /** The action that does the work of an open task about a document. */
  primaryAction: { documentType: string; documentId: string; actionCode: string } | null
  target: NavigationTarget | null
  version: number
  /** The user whose task the reader handles as their substitute. */
  onBehalfOf: { userId: string; displayName: string } | null
}

/** The orders of a list. Equal items are sorted from newest to oldest. */
export type Sort = 'newest' | 'due' | 'priority'

/** The changes that a user can make to several items with one request. */
export type BatchVerb = 'read' | 'unread' | 'dismiss' | 'restore' | 'claim' | 'release' | 'snooze'

/**
 * One page of items. `limit` is the page size that the service applied. `readThrough` marks the moment of the page, for marking all
 * items as read.
 */
export interface WorkCenterItemPage extends Page<WorkCenterItem> {
  limit: number
  readThrough: string
}

/** The result for one item of a batch. `item` is null if the change succeeded and the user no longer sees the item. */
export type ItemBatchResult =
  | { id: string; status: number; item: WorkCenterItem | null }
  | { id: string; status: number; problem: ProblemDetails }

/** The results of a batch, in the order of the request. */
export interface ItemBatchResults {
  results: ItemBatchResult[]
}

/** The counts of the tabs, and the version of the counts, which increases with every change. */
export interface WorkCenterSummary {
  attentionCount: number
  openTaskCount: number
  overdueTaskCount: number
  notificationCount: number
  unreadNotificationCount: number
  version: number
}

/** The channels that announce items. `Email` exists only if the host sends mail. */
export type Channel = 'InApp' | 'Email'

/** One notification preference of the caller. */
export interface Preference {
  code: string
  kind: ItemKind
  displayName: string
  category: string
  description: string
  channel: Channel
  isEnabled: boolean
  defaultEnabled: boolean
  userCanDisable: boolean
  isMandatory: boolean
}

/** When the caller receives mails. `dailyHour` is the hour of the daily mail in the time zone, 0 to 23. */
export interface MailSettings {
  delivery: 'Immediately' | 'Daily'
  timeZone: string
  dailyHour: number
}
