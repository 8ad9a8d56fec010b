import { Instant, NavigationTarget } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** A task requests work; a notification only informs. */
export const itemKinds = ['Task', 'Notification'] as const
export type ItemKind = (typeof itemKinds)[number]

/** The priorities of tasks, the lowest first. Notifications have a severity instead. */
export const priorities = ['Low', 'Normal', 'High', 'Critical'] as const
export type Priority = (typeof priorities)[number]

/** The severities of notifications. Tasks have a priority instead. */
export const severities = ['Information', 'Success', 'Warning', 'Critical'] as const
export type Severity = (typeof severities)[number]

/** `InProgress`: a user has claimed the task. `Cancelled`: its work is no longer needed. */
export const taskStatuses = ['Open', 'InProgress', 'Completed', 'Cancelled'] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** The channels that deliver items to users. A mail announces an item of the Work Center, and never replaces it. */
export const channels = ['InApp', 'Email'] as const
export type Channel = (typeof channels)[number]

/** When mails are sent: each one immediately, or all of a day together. */
export const mailDeliveries = ['Immediately', 'Daily'] as const
export type MailDelivery = (typeof mailDeliveries)[number]

/** The lists of the Work Center, with their names in query strings. */
export const tabs = ['attention', 'tasks', 'notifications', 'completed'] as const
export type Tab = (typeof tabs)[number]

/**
 * The orders of a list. `due`: the soonest due date first, items without one last. `priority`: `Critical` first, items without
 * a priority last. Equal items are sorted from newest to oldest.
 */
export const sorts = ['newest', 'due', 'priority'] as const
export type Sort = (typeof sorts)[number]

/** The changes that a user can make to several items with one request. Each of them has an inverse among them. */
export const batchVerbs = ['read', 'unread', 'dismiss', 'restore', 'claim', 'release', 'snooze'] as const
export type BatchVerb = (typeof batchVerbs)[number]

/** The business object that an item concerns. Users without permission to view it do not see the item. */
export const Source = v.object({
  resourceKind: v.string(),
  resourceCode: v.string(),
  entityId: v.string(),
  title: v.string(),
  subtitle: v.nullable(v.string()),
})
export type Source = Readonly<v.InferOutput<typeof Source>>

/**
 * A text that a client translates: the key of a template and the values of its placeholders. Numbers and dates are not
 * formatted: `1250.00`, `2026-11-30`. Clients without a template for the key show the plain text.
 */
export const ItemText = v.object({ key: v.string(), parameters: v.record(v.string(), v.string()) })
export type ItemText = Readonly<v.InferOutput<typeof ItemText>>

/** The action that does the work of an open task. Executing it still requires its permission. */
export const PrimaryAction = v.object({
  documentType: v.string(),
  documentId: v.string(),
  actionCode: v.string(),
})

/** An item as its reader sees it. */
export const Item = v.pipe(
  v.object({
    id: v.string(),
    kind: v.picklist(itemKinds),
    code: v.string(),
    title: v.string(),
    description: v.string(),
    titleText: v.nullable(ItemText),
    descriptionText: v.nullable(ItemText),
    source: Source,
    priority: v.nullable(v.picklist(priorities)),
    severity: v.nullable(v.picklist(severities)),
    taskStatus: v.nullable(v.picklist(taskStatuses)),
    sortAtUtc: Instant,
    dueAtUtc: v.nullable(Instant),
    /**
     * The due day of a task that is due on a day and not at an instant, such as `2026-11-30`. Show it without converting
     * it to a time zone. `dueAtUtc` is then the end of this day in UTC; the task is overdue when the day has ended in UTC−12.
     */
    dueOn: v.nullable(v.string()),
    isOverdue: v.boolean(),
    isRead: v.boolean(),
    isDismissed: v.boolean(),
    snoozedUntilUtc: v.nullable(Instant),
    assignment: v.nullable(
      v.object({
        assignedUserId: v.nullable(v.string()),
        assignedRoleId: v.nullable(v.string()),
        claimedByUserId: v.nullable(v.string()),
        isRoleAssigned: v.boolean(),
      }),
    ),
    primaryActionCode: v.nullable(v.string()),
    primaryAction: v.nullable(PrimaryAction),
    target: v.nullable(NavigationTarget),
    version: v.number(),
    /** The user whose task the reader handles as their substitute. */
    onBehalfOf: v.nullable(v.object({ userId: v.string(), displayName: v.string() })),
  }),
  v.metadata({ ref: 'WorkCenterItem' }),
)
export type Item = v.InferOutput<typeof Item>

/**
 * One page of items. `limit` is the applied page size. `readThrough` marks the moment of the page: pass it to
 * `POST /api/work-center/read-all`, so that items that arrived later stay unread.
 */
export const ItemPage = v.pipe(
  v.object({
    items: v.array(Item),
    nextCursor: v.nullable(v.string()),
    limit: v.number(),
    readThrough: v.string(),
  }),
  v.metadata({ ref: 'WorkCenterItemPage' }),
)
export type ItemPage = v.InferOutput<typeof ItemPage>

/** The item counts of the tabs, and a version that grows with every change to these items. */
export const Summary = v.pipe(
  v.object({
    attentionCount: v.number(),
    openTaskCount: v.number(),
    overdueTaskCount: v.number(),
    notificationCount: v.number(),
    unreadNotificationCount: v.number(),
    version: v.number(),
  }),
  v.metadata({ ref: 'WorkCenterSummary' }),
)
export type Summary = v.InferOutput<typeof Summary>
