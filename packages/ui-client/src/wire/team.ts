import type { Page } from './business-objects.ts'
import type { Sort, WorkCenterItem } from './work-center.ts'

/** The orders of the team's list. */
export type TeamSort = Sort | 'oldest'

/** A task as supervisors see it. */
export interface TeamTask extends WorkCenterItem {
  /** The user who has claimed the task, or the only user that it is assigned to. */
  claimedBy: { userId: string; displayName: string; sinceUtc: string } | null
  assignedRole: { code: string; name: string } | null
  /** The number of users that have received the task. */
  recipientCount: number
}

/** One page of the team's list. `limit` is the page size that the service applied. */
export interface TeamTaskPage extends Page<TeamTask> {
  limit: number
}

/** The users and roles to which a task can be forwarded. */
export interface TaskRecipients {
  users: { userId: string; displayName: string }[]
  roles: { code: string; name: string }[]
}

/** A user who has open tasks: those that they have claimed, and those that are assigned only to them. */
export interface TaskHolder {
  userId: string
  displayName: string
  taskCount: number
}

/** Users who have open tasks. */
export interface TaskHolders {
  users: TaskHolder[]
}

/** The substitute of a user for a period. `userId` is the substitute. */
export interface Substitution {
  userId: string
  fromUtc: string
  untilUtc: string
}

/** Users that the caller can name as their substitute. */
export interface Substitutes {
  users: { userId: string; displayName: string }[]
}
