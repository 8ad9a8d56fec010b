import type {
  Substitutes,
  Substitution,
  TaskHolders,
  TaskRecipients,
  TeamSort,
  TeamTask,
  TeamTaskPage,
} from '../wire/team.ts'
import type { TaskStatus, WorkCenterItem } from '../wire/work-center.ts'
import type { Get } from './get.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** Selects a page of the team's list. A task must match all filters. */
export interface ListTeamTasks extends CallOptions {
  /** Default: open tasks and tasks in progress. */
  readonly status?: TaskStatus | undefined
  /** The id of the user who has the tasks. */
  readonly claimedBy?: string | undefined
  /** The code of the assigned role. */
  readonly role?: string | undefined
  readonly overdue?: boolean | undefined
  /** `true` lists open tasks that no active user may see. */
  readonly invisible?: boolean | undefined
  /** Default: `due`. */
  readonly sort?: TeamSort | undefined
  readonly limit?: number
  readonly cursor?: string | null
}

/** Selects users to choose from. */
export interface SearchPeople extends CallOptions {
  /** A part of the name in any case, at most 200 characters. */
  readonly q?: string | undefined
}

/** The user or role that receives a task. */
export type Recipient = { readonly userId: string } | { readonly roleCode: string }

/** A task with the version that the user saw. */
type VersionedTask = Pick<WorkCenterItem, 'id' | 'version'>

/** Calls for work in teams: forwarding, the tasks of all users, and substitutes. Supervisors need a permission. */
export function teamApi(send: Send, get: Get) {
  const substitution = (of: string) => ({
    /** Resolves with the current or future substitution, or with null. */
    get: (options: CallOptions = {}) => get<Substitution | null>(of, options),
    /** Names a substitute for at most 180 days, and replaces the former one. */
    set: (body: Substitution, options: CallOptions = {}) =>
      send<Substitution>({ method: 'PUT', path: of, body, isRepeatable: true, ...options }),
    end: (options: CallOptions = {}) =>
      send<undefined>({ method: 'DELETE', path: of, isRepeatable: true, ...options }),
  })
  return {
    team: {
      /** Resolves with a page of the tasks of all users. Only for supervisors. */
      tasks: (filters: ListTeamTasks = {}) => get<TeamTaskPage>('/api/work-center/team', filters),
      /** Resolves with at most 100 users who have open tasks. Only for supervisors. */
      holders: (filters: SearchPeople = {}) => get<TaskHolders>('/api/work-center/team/users', filters),
      /** Gives a task to another user or role. Only for supervisors. */
      assign: ({ id, version }: VersionedTask, to: Recipient, options: CallOptions = {}) =>
        send<TeamTask>({
          method: 'POST',
          path: path`/api/work-center/team/tasks/${id}/assign`,
          body: { expectedVersion: version, to },
          ...options,
        }),
      /** Gives a task to another user or role, with a comment. Resolves with undefined if the user no longer has the task. */
      forward: (
        { id, version }: VersionedTask,
        { to, comment }: { readonly to: Recipient; readonly comment: string | null },
        options: CallOptions = {},
      ) =>
        send<WorkCenterItem | undefined>({
          method: 'POST',
          path: path`/api/work-center/tasks/${id}/forward`,
          body: { expectedVersion: version, to, comment },
          ...options,
        }),
      /** Resolves with the roles, and at most 100 users, to which the user can forward a task. */
      recipients: (id: string, filters: SearchPeople = {}) =>
        get<TaskRecipients>(path`/api/work-center/tasks/${id}/recipients`, filters),
      /** Resolves with at most 100 users that the user can name as their substitute, and the current substitute. */
      substitutes: (filters: SearchPeople = {}) => get<Substitutes>('/api/me/substitution/users', filters),
      /** The user's own substitute. */
      substitution: substitution('/api/me/substitution'),
      /** The substitute of another user. Only for supervisors. */
      substitutionOf: (userId: string) => substitution(path`/api/security/users/${userId}/substitution`),
    },
  }
}
