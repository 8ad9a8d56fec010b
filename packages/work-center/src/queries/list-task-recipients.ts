import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { TaskRecipients } from '../contract.ts'
import type { ItemDefinition, TaskDefinition } from '../definitions/definition.ts'
import { WorkCenterError } from '../errors.ts'
import type { tasks } from '../schema.ts'
import { findActingFor } from './acting-for.ts'
import { canViewTask } from './list-team-tasks.ts'
import { listRecipients } from './task-recipients.ts'
import type { Viewer } from './viewer.ts'

export interface ListTaskRecipients {
  readonly id: string
  readonly viewer: Viewer
  readonly isSupervisor: boolean
  /** A part of the names of the users in any case. An empty text matches every name. */
  readonly q: string
}

/**
 * Lists the users and roles to which the viewer can forward a task. It is empty if the task's definition no longer exists.
 * @throws {WorkCenterError} work_center.item_not_found for users without the task, unless they supervise it
 */
export async function listTaskRecipients(
  db: Db,
  options: {
    readonly definitions: readonly ItemDefinition[]
    readonly administratorRoleCodes: readonly string[]
  },
  { id, viewer, isSupervisor, q }: ListTaskRecipients,
): Promise<TaskRecipients> {
  const [acting, [task]] = await Promise.all([
    findActingFor(db, viewer, [id]),
    db.execute<RowOf<typeof tasks, 'code' | 'resourceKind' | 'resourceCode'>>(sql`
      select t.code, t.resource_kind, t.resource_code
      from work_center.tasks t
      where t.id = ${id}::uuid and ${canViewTask(viewer)}`),
  ])
  if (task === undefined || !(isSupervisor || acting.get(id)?.isVisible === true)) {
    throw new WorkCenterError('work_center.item_not_found')
  }
  const definition = options.definitions.find(
    (one): one is TaskDefinition => one.kind === 'Task' && one.code === task.code,
  )
  if (definition === undefined) return { users: [], roles: [] }
  const viewPermission = `${task.resource_kind}.${task.resource_code}.view`
  return listRecipients(db, options.administratorRoleCodes, {
    ...{ definition, viewPermission, assignedRoleId: null, q },
  })
}
