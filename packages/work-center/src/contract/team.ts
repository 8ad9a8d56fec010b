import {
  codePointCount,
  Id,
  Instant,
  StorableText,
  trimWhiteSpace,
  UtcInstant,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { Item, sorts, taskStatuses } from './items.ts'
import { ClampedLimit, ExpectedVersion, Flag, SearchText } from './requests.ts'

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

/** One page of the team's tasks. `limit` is the page size that the service used. */
export const TeamTaskPage = v.pipe(
  v.object({ items: v.array(TeamTask), nextCursor: v.nullable(v.string()), limit: v.number() }),
  v.metadata({ ref: 'TeamTaskPage' }),
)
export type TeamTaskPage = v.InferOutput<typeof TeamTaskPage>

/** The orders of the team's list. */
const teamSorts = [...sorts, 'oldest'] as const
export type TeamSort = (typeof teamSorts)[number]

/** The parameters of the team's list. A page lists only tasks that match all filters. */
export const ListTeamTasksQuery = v.object({
  /** Without a status: open tasks and tasks in progress. */
  status: v.optional(v.picklist(taskStatuses)),
  claimedBy: v.optional(Id),
  role: v.optional(StorableText),
  overdue: Flag,
  /** Open tasks that no active user may see now. */
  invisible: Flag,
  sort: v.optional(v.picklist(teamSorts), 'due'),
  cursor: v.optional(v.string()),
  limit: ClampedLimit,
})

/** A user, or a role by its code. Both together are refused, because the service would have to ignore one of them. */
const Recipient = v.union(
  [
    v.pipe(
      v.object({ userId: Id, roleCode: v.optional(v.null()) }),
      v.transform(({ userId }) => ({ userId })),
    ),
    v.pipe(
      v.object({ roleCode: StorableText, userId: v.optional(v.null()) }),
      v.transform(({ roleCode }) => ({ roleCode })),
    ),
  ],
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

/** Assigns a task of any user. `expectedVersion` is the task version that the supervisor saw. */
export const AssignTaskBody = v.pipe(
  v.object({ expectedVersion: ExpectedVersion, to: Recipient }),
  v.metadata({ ref: 'AssignTask' }),
)

/** `q` is a part of a user's name in any case. */
export const ListPeopleQuery = v.object({ q: v.optional(SearchText, '') })

/** The users and roles to which a task can be forwarded: at most 100 users, sorted by name. */
export const TaskRecipients = v.pipe(
  v.object({
    users: v.array(v.object({ userId: v.string(), displayName: v.string() })),
    roles: v.array(v.object({ code: v.string(), name: v.string() })),
  }),
  v.metadata({ ref: 'TaskRecipients' }),
)
export type TaskRecipients = v.InferOutput<typeof TaskRecipients>

/** Users who have open tasks, with the number of these tasks: at most 100, sorted by name. */
export const TaskHolders = v.pipe(
  v.object({
    users: v.array(
      v.object({ userId: v.string(), displayName: v.string(), taskCount: v.pipe(v.number(), v.integer()) }),
    ),
  }),
  v.metadata({ ref: 'TaskHolders' }),
)
export type TaskHolders = v.InferOutput<typeof TaskHolders>

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
