import {
  codePointCount,
  Id,
  Instant,
  NavigationTarget,
  ProblemDetails,
  StorableText,
  trimWhiteSpace,
  UtcInstant,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

export const itemKinds = ['Task', 'Notification'] as const
export type ItemKind = (typeof itemKinds)[number]

export const priorities = ['Low', 'Normal', 'High', 'Critical'] as const
export type Priority = (typeof priorities)[number]

export const severities = ['Information', 'Success', 'Warning', 'Critical'] as const
export type Severity = (typeof severities)[number]

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

/** All preferences of a user. */
export const Preferences = v.array(Preference)

/** `vertical=trade` selects items with a resource code that starts with `trade.`. */
const Vertical = v.optional(v.pipe(StorableText, v.nonEmpty('expected the name of a vertical')))

/** The page size. Values outside 1–100 are changed to the nearest limit. The default is 30. */
const ClampedLimit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^-?\d+$/, 'expected a whole number'),
    v.transform((digits) => Math.min(Math.max(Number(digits), 1), 100)),
  ),
  '30',
)

const FlagText = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
)

/** `true` selects matching items, and `false` selects all other items. An absent flag selects all items. */
const Flag = v.optional(FlagText)

export const SummaryQuery = v.object({ vertical: Vertical })

/** A longer search text never helps a user, but it would cost time for each item. */
const searchMaxChars = 200

const SearchText = v.pipe(
  StorableText,
  v.check((text) => codePointCount(text) <= searchMaxChars, `expected at most ${searchMaxChars} characters`),
)

/** The parameters of a list. A page lists only items that match all filters. */
export const ListItemsQuery = v.object({
  tab: v.optional(v.picklist(tabs), 'attention'),
  sort: v.optional(v.picklist(sorts), 'newest'),
  cursor: v.optional(v.string()),
  limit: ClampedLimit,
  vertical: Vertical,
  priority: v.optional(v.picklist(priorities)),
  severity: v.optional(v.picklist(severities)),
  overdue: Flag,
  unread: Flag,
  q: v.optional(SearchText),
  definition: v.optional(StorableText),
  source: v.optional(StorableText),
})

/** Selects the items to mark as read: those of a list, up to the `readThrough` of one of its pages. */
export const ReadAllBody = v.pipe(
  v.object({
    tab: v.optional(v.picklist(tabs), 'attention'),
    filters: v.optional(
      v.object({
        vertical: v.nullish(StorableText),
        priority: v.nullish(v.picklist(priorities)),
        severity: v.nullish(v.picklist(severities)),
        overdue: v.nullish(v.union([v.boolean(), FlagText])),
        unread: v.nullish(v.union([v.boolean(), FlagText])),
        q: v.nullish(SearchText),
        definition: v.nullish(StorableText),
        source: v.nullish(StorableText),
      }),
      {},
    ),
    through: v.string(),
  }),
  v.metadata({ ref: 'ReadAllItems' }),
)

export const ReadAllResult = v.pipe(
  v.object({ changedCount: v.number() }),
  v.metadata({ ref: 'ReadAllResult' }),
)

const ExpectedVersion = v.pipe(v.number(), v.safeInteger('expected a whole number'))

/** `expectedVersion` is the task version that the user saw. */
export const TaskVersionBody = v.pipe(
  v.object({ expectedVersion: ExpectedVersion }),
  v.metadata({ ref: 'TaskVersion' }),
)

/**
 * Rejects dates that JavaScript silently shifts (31 February, hour 24). Rejects year 0, which PostgreSQL does not
 * support.
 */
const isMoment = (text: string): boolean => {
  const at = new Date(text)
  return (
    !Number.isNaN(at.getTime()) &&
    at.toISOString().slice(0, 19) === text.slice(0, 19) &&
    !text.startsWith('0000')
  )
}

/** A day without a time zone. The wire format cannot represent the end of 9999-12-31 in UTC−12. */
export const DueDay = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d$/),
  v.check((day) => day < '9999-12-31' && isMoment(`${day}T00:00:00Z`)),
)

/** `snoozedUntilUtc` is the end of the snooze. `null` or a past time ends the snooze immediately. */
export const SnoozeTaskBody = v.pipe(
  v.object({ snoozedUntilUtc: v.nullable(UtcInstant) }),
  v.metadata({ ref: 'SnoozeTask' }),
)

/** The maximum number of items that one batch changes. */
const batchMax = 100

const batchOf = <const Verb extends BatchVerb, const Version extends v.GenericSchema>(
  verbs: readonly Verb[],
  expectedVersion: Version,
) => ({
  verb: v.picklist(verbs),
  items: v.pipe(
    v.array(v.object({ kind: v.picklist(itemKinds), id: v.string(), expectedVersion })),
    v.minLength(1, 'expected at least 1'),
    v.maxLength(batchMax, `expected at most ${batchMax}`),
  ),
})

/** The change of up to 100 items. `claim` and `release` compare each `expectedVersion`, and other verbs ignore it. */
export const BatchBody = v.pipe(
  v.variant('verb', [
    v.object(batchOf(['read', 'unread', 'dismiss', 'restore'], v.optional(v.unknown()))),
    v.object(batchOf(['claim', 'release'], ExpectedVersion)),
    v.object({
      ...batchOf(['snooze'], v.optional(v.unknown())),
      snoozedUntilUtc: v.nullable(UtcInstant),
    }),
  ]),
  v.metadata({ ref: 'ItemBatch' }),
)
export type BatchBody = v.InferOutput<typeof BatchBody>

/**
 * The result for one item: the item after the change, or the problem that the single request would have. `item` is null with
 * status 204: the change succeeded, and the caller no longer sees the item.
 */
const BatchResult = v.union([
  v.object({ id: v.string(), status: v.number(), item: v.nullable(Item) }),
  v.object({ id: v.string(), status: v.number(), problem: ProblemDetails }),
])

/** The results of a batch, in the order of the request. */
export const BatchResults = v.pipe(
  v.object({ results: v.array(BatchResult) }),
  v.metadata({ ref: 'ItemBatchResults' }),
)
export type BatchResults = v.InferOutput<typeof BatchResults>

/** No deployment defines this many preferences. The maximum limits the lookups that one request body can cause. */
const preferencesMax = 500

/** Returns whether JavaScript knows the time zone, by its name of the IANA database. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    // Excludes offsets such as `+01:00`, which have no daylight saving time and another sign in PostgreSQL.
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** How a user receives mails. `dailyHour` is the hour of the daily mail in the time zone. */
export const MailSettings = v.pipe(
  v.object({
    delivery: v.picklist(mailDeliveries),
    timeZone: v.pipe(
      v.string(),
      v.maxLength(64),
      v.check(isTimeZone, 'expected a time zone such as Europe/Vienna'),
    ),
    dailyHour: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(23)),
  }),
  v.metadata({ ref: 'MailSettings' }),
)
export type MailSettings = v.InferOutput<typeof MailSettings>

/** The preferences to change. All other preferences keep their values. */
export const SetPreferencesBody = v.pipe(
  v.object({
    preferences: v.pipe(
      v.array(v.object({ code: v.string(), channel: v.string(), isEnabled: v.boolean() })),
      v.maxLength(preferencesMax, `expected at most ${preferencesMax}`),
    ),
  }),
  v.metadata({ ref: 'SetNotificationPreferences' }),
)

/** Whether the caller follows a business object. */
export const WatchState = v.pipe(v.object({ isWatching: v.boolean() }), v.metadata({ ref: 'WatchState' }))
export type WatchState = v.InferOutput<typeof WatchState>

/** A task as supervisors see it. The state of reading and snoozing is their own. */
export const TeamTask = v.pipe(
  v.object({
    ...Item.entries,
    /** The user who has claimed the task, or the only user that it is assigned to. `sinceUtc` is the time from which they have it. */
    claimedBy: v.nullable(v.object({ userId: v.string(), displayName: v.string(), sinceUtc: Instant })),
    assignedRole: v.nullable(v.object({ code: v.string(), name: v.string() })),
    /** The number of users that have received the task, also if another user has claimed it. */
    recipientCount: v.number(),
  }),
  v.metadata({ ref: 'TeamTask' }),
)
export type TeamTask = v.InferOutput<typeof TeamTask>

export const TeamTaskPage = v.pipe(
  v.object({ items: v.array(TeamTask), nextCursor: v.nullable(v.string()), limit: v.number() }),
  v.metadata({ ref: 'TeamTaskPage' }),
)
export type TeamTaskPage = v.InferOutput<typeof TeamTaskPage>

/** The parameters of the team's list. A page lists only tasks that match all filters. */
export const ListTeamTasksQuery = v.object({
  /** Without a status: open tasks and tasks in progress. */
  status: v.optional(v.picklist(taskStatuses)),
  claimedBy: v.optional(Id),
  role: v.optional(StorableText),
  overdue: Flag,
  /** Open tasks that no active user may see now. */
  invisible: Flag,
  sort: v.optional(v.picklist(sorts), 'due'),
  cursor: v.optional(v.string()),
  limit: ClampedLimit,
})

/** A user, or a role by its code. */
const Recipient = v.union(
  [v.object({ userId: Id }), v.object({ roleCode: StorableText })],
  'expected a userId or a roleCode',
)

/** The maximum length of a comment in code points. */
const commentMax = 1_000

/** A comment, without white space at both ends. A blank comment becomes `null`. */
const Comment = v.optional(
  v.nullable(
    v.pipe(
      StorableText,
      v.transform(trimWhiteSpace),
      v.check((text) => codePointCount(text) <= commentMax, `expected at most ${commentMax} characters`),
      v.transform((text) => (text === '' ? null : text)),
    ),
  ),
  null,
)

/** `expectedVersion` is the task version that the user saw. */
export const ForwardTaskBody = v.pipe(
  v.object({ expectedVersion: ExpectedVersion, to: Recipient, comment: Comment }),
  v.metadata({ ref: 'ForwardTask' }),
)
export const AssignTaskBody = v.pipe(
  v.object({ expectedVersion: ExpectedVersion, to: Recipient }),
  v.metadata({ ref: 'AssignTask' }),
)

/** The users and roles to which a task can be forwarded: at most 100 users, sorted by name. */
export const TaskRecipients = v.pipe(
  v.object({
    users: v.array(v.object({ userId: v.string(), displayName: v.string() })),
    roles: v.array(v.object({ code: v.string(), name: v.string() })),
  }),
  v.metadata({ ref: 'TaskRecipients' }),
)
export type TaskRecipients = v.InferOutput<typeof TaskRecipients>

/** The substitute of a user for a period. */
export const Substitution = v.pipe(
  v.object({ userId: v.string(), fromUtc: Instant, untilUtc: Instant }),
  v.metadata({ ref: 'Substitution' }),
)
export type Substitution = v.InferOutput<typeof Substitution>

/** `userId` is the substitute. The period has at most 180 days. */
export const SetSubstitutionBody = v.pipe(
  v.object({ userId: Id, fromUtc: UtcInstant, untilUtc: UtcInstant }),
  v.metadata({ ref: 'SetSubstitution' }),
)

/** Users that the caller can name as their substitute: at most 100, sorted by name, and the current substitute. */
export const Substitutes = v.pipe(
  v.object({ users: v.array(v.object({ userId: v.string(), displayName: v.string() })) }),
  v.metadata({ ref: 'Substitutes' }),
)
export type Substitutes = v.InferOutput<typeof Substitutes>
