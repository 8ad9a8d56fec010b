import { changeAs, holds, requirePermission } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import { type ForwardTask, forwardTask } from './commands/forward-task.ts'
import type { WorkCenterConfig } from './config.ts'
import {
  AssignTaskBody,
  ForwardTaskBody,
  Item,
  ListPeopleQuery,
  ListTeamTasksQuery,
  TaskHolders,
  TaskRecipients,
  TeamTask,
  TeamTaskPage,
} from './contract.ts'
import type { ItemDefinition } from './definitions/definition.ts'
import { WorkCenterError } from './errors.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { supervise } from './permissions.ts'
import { findItems, nameOf } from './queries/find-items.ts'
import { listTaskHolders } from './queries/list-task-holders.ts'
import { listTaskRecipients } from './queries/list-task-recipients.ts'
import { findTeamTask, listTeamTasks } from './queries/list-team-tasks.ts'
import { supervisorOf } from './queries/viewer.ts'

export interface TeamRoutesOptions {
  readonly database: Database
  readonly config: Pick<WorkCenterConfig, 'notificationRetentionMs'>
  readonly definitions: readonly ItemDefinition[]
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
}

const tag = 'Work Center'
const requireTaskId: Guard = (c) => void itemId(c)
/** Checks the permission before the id: guards run first. */
const requireSupervisor: Guard = (c) => void requirePermission(c.get('caller'), supervise)
const errors = [
  'work_center.item_not_found',
  'work_center.task_claim_conflict',
  'work_center.recipient_not_eligible',
]

/** Creates the routes that forward tasks, and the routes of supervisors. */
export function teamRoutes(options: TeamRoutesOptions): Hono<KitEnv> {
  const { database, administratorRoleCodes, announce } = options

  const inputOf = (c: Context<KitEnv>): Pick<ForwardTask, 'id' | 'isSupervisor' | 'callerNow'> => ({
    id: itemId(c),
    isSupervisor: holds(c.get('caller'), supervise),
    callerNow: c.get('callerNow'),
  })

  return new Hono<KitEnv>()
    .get(
      '/api/work-center/team',
      api({
        operationId: 'listTeamTasks',
        tag,
        summary: 'Lists the tasks of all users, with the user who has each task.',
        description:
          'Without a status, lists open tasks and tasks in progress. Closed tasks are sorted by the time of their closing, ' +
          'newest first. Contains only tasks whose source the caller may view. Filters combine, and a cursor continues only ' +
          'the list that returned it.',
        permission: supervise,
        query: ListTeamTasksQuery,
        responses: { 200: { description: 'One page and the applied limit', schema: TeamTaskPage } },
        errors: ['work_center.cursor_invalid'],
      }),
      async (c) => {
        const { sort, limit, cursor = null, ...given } = c.req.valid('query')
        const { status = null, claimedBy = null, role = null, overdue = null, invisible = null } = given
        const filters = { status, claimedBy, role, overdue, invisible }
        const viewer = supervisorOf(c.get('caller'))
        const query = { filters, sort, limit, cursor }
        return c.json(
          await database.read((db) => listTeamTasks(db, administratorRoleCodes, { viewer, query })),
        )
      },
    )
    .get(
      '/api/work-center/team/users',
      api({
        operationId: 'listTaskHolders',
        tag,
        summary: 'Lists the users who have open tasks, with the number of these tasks.',
        description:
          'A user has the tasks that they have claimed and those that are assigned only to them. Counts only tasks whose source ' +
          'the caller may view. With `q`, lists only users whose name contains this text, in upper or lower case.',
        permission: supervise,
        query: ListPeopleQuery,
        responses: { 200: { description: 'At most 100 users, sorted by name', schema: TaskHolders } },
      }),
      async (c) => {
        const viewer = supervisorOf(c.get('caller'))
        const { q } = c.req.valid('query')
        return c.json(await database.read((db) => listTaskHolders(db, { viewer, q })))
      },
    )
    .post(
      '/api/work-center/team/tasks/:id/assign',
      api({
        operationId: 'assignTask',
        tag,
        summary: 'Gives a task to another user or role, at the version that the supervisor saw.',
        guards: [requireSupervisor, requireTaskId],
        permission: supervise,
        body: AssignTaskBody,
        responses: { 200: { description: 'The task after the change', schema: TeamTask } },
        errors,
      }),
      async (c) => {
        const input = { ...inputOf(c), ...c.req.valid('json') }
        const { response, versions } = await changeAs(database, c.var, (tx, actor) =>
          forwardTask(tx, options, {
            ...{ ...input, actor, comment: null, requiresSupervisor: true },
            read: (now, viewer) => findTeamTask(now, viewer, input.id),
          }),
        )
        announce(versions)
        return c.json(response)
      },
    )
    .post(
      '/api/work-center/tasks/:id/forward',
      api({
        operationId: 'forwardTask',
        tag,
        summary: 'Gives a task to another user or role with a comment, at the version that the user saw.',
        description:
          'Allowed for users with the task in their Work Center, and for supervisors. The recipient must have a role of the ' +
          'kind of task and permission to view its source.',
        guards: [requireTaskId],
        body: ForwardTaskBody,
        responses: {
          200: { description: 'The item as the caller sees it after the change', schema: Item },
          204: { description: 'The task is no longer in the caller’s Work Center' },
        },
        errors,
      }),
      async (c) => {
        refuseUnknown(c)
        const input = { ...inputOf(c), ...c.req.valid('json') }
        const { response, versions } = await changeAs(database, c.var, (tx, actor) =>
          forwardTask(tx, options, {
            ...{ ...input, actor, requiresSupervisor: false },
            read: async (now, viewer) => {
              const name = { kind: 'Task', id: input.id } as const
              return (await findItems(now, viewer, [name])).get(nameOf(name))
            },
          }),
        )
        announce(versions)
        return response === undefined ? c.body(null, 204) : c.json(response)
      },
    )
    .get(
      '/api/work-center/tasks/:id/recipients',
      api({
        operationId: 'listTaskRecipients',
        tag,
        summary: 'Lists the users and roles to which the caller can forward a task.',
        description:
          'With `q`, lists only users whose name contains this text, in upper or lower case, and all roles.',
        guards: [requireTaskId],
        query: ListPeopleQuery,
        responses: { 200: { description: 'At most 100 users, and all roles', schema: TaskRecipients } },
        errors: ['work_center.item_not_found'],
      }),
      async (c) => {
        refuseUnknown(c)
        const caller = c.get('caller')
        const input = {
          ...{ id: itemId(c), viewer: supervisorOf(caller), isSupervisor: holds(caller, supervise) },
          q: c.req.valid('query').q,
        }
        return c.json(await database.read((db) => listTaskRecipients(db, options, input)))
      },
    )
}

/**
 * Returns the task's id in the path.
 * @throws {WorkCenterError} work_center.item_not_found
 */
function itemId(c: Context<KitEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new WorkCenterError('work_center.item_not_found')
  return id.toLowerCase()
}

/** A caller without a user record has no items. */
function refuseUnknown(c: Context<KitEnv>): void {
  const caller = c.get('caller')
  if (caller.userId === null && !holds(caller, supervise)) {
    throw new WorkCenterError('work_center.item_not_found')
  }
}
