import { Instant } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

export const itemKinds = ['Task', 'Notification'] as const
export type ItemKind = (typeof itemKinds)[number]

export const priorities = ['Low', 'Normal', 'High', 'Critical'] as const
export type Priority = (typeof priorities)[number]

export const severities = ['Information', 'Success', 'Warning', 'Critical'] as const
export type Severity = (typeof severities)[number]

export const taskStatuses = ['Open', 'InProgress', 'Completed', 'Cancelled'] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** How a preference's items reach the user. */
export const channels = ['InApp'] as const
export type Channel = (typeof channels)[number]

/** The lists of the Work Center, as query strings name them. */
export const tabs = ['attention', 'tasks', 'notifications', 'completed'] as const
export type Tab = (typeof tabs)[number]

/** The business object an item is about. Who may not view it does not see the item. */
export const Source = v.object({
  resourceKind: v.string(),
  resourceCode: v.string(),
  entityId: v.string(),
  title: v.string(),
  subtitle: v.nullable(v.string()),
})
export type Source = Readonly<v.InferOutput<typeof Source>>

/** Where an item leads: a place of the user interface, by name. */
export const ItemTarget = v.object({ code: v.string(), parameters: v.record(v.string(), v.string()) })
export type ItemTarget = Readonly<v.InferOutput<typeof ItemTarget>>

/** An item as its reader sees it. */
export const Item = v.pipe(
  v.object({
    id: v.string(),
    kind: v.picklist(itemKinds),
    code: v.string(),
    title: v.string(),
    description: v.string(),
    source: Source,
    priority: v.nullable(v.picklist(priorities)),
    severity: v.nullable(v.picklist(severities)),
    taskStatus: v.nullable(v.picklist(taskStatuses)),
    sortAtUtc: Instant,
    dueAtUtc: v.nullable(Instant),
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
    target: v.nullable(ItemTarget),
    version: v.number(),
  }),
  v.metadata({ ref: 'WorkCenterItem' }),
)
export type Item = v.InferOutput<typeof Item>

/** One page, newest first. `limit` is the one that was applied. */
export const ItemPage = v.pipe(
  v.object({ items: v.array(Item), nextCursor: v.nullable(v.string()), limit: v.number() }),
  v.metadata({ ref: 'WorkCenterItemPage' }),
)
export type ItemPage = v.InferOutput<typeof ItemPage>

/** What the tabs list, counted, and the number that grows with every change of it. */
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

/** One preference of a user. */
export const Preference = v.pipe(
  v.object({
    code: v.string(),
    kind: v.picklist(itemKinds),
    displayName: v.string(),
    category: v.string(),
    description: v.string(),
    channel: v.picklist(channels),
    isEnabled: v.boolean(),
    defaultEnabled: v.boolean(),
    userCanDisable: v.boolean(),
    isMandatory: v.boolean(),
  }),
  v.metadata({ ref: 'NotificationPreference' }),
)
export type Preference = v.InferOutput<typeof Preference>
