import { instantOfId } from '@vertical-kit/core-audit'
import type { ActivitySource } from '@vertical-kit/core-audit/objects'
import { type ItemRow, toItem } from './item-row.ts'
import { selectObjectTasks } from './select-object-tasks.ts'

/** The tasks in the activity of an object, at the time of their creation. The actor is the user who handles the task. */
export const tasksActivity: ActivitySource = {
  type: 'task',
  // Every caller may use the Work Center. The statement selects the tasks that the caller sees.
  requireAccess() {},
  select: selectObjectTasks,
  toContent(row: ItemRow) {
    const task = toItem(row)
    const { assignedUserId = null, claimedByUserId = null, assignedRoleId = null } = task.assignment ?? {}
    const handlerId = claimedByUserId ?? assignedUserId
    return {
      ...{ id: task.id, occurredAtUtc: instantOfId(task.id), content: { task } },
      actor: handlerId === null ? null : { userId: handlerId, displayName: '', email: null },
      userIds: [assignedUserId, claimedByUserId].filter((id) => id !== null),
      roleIds: assignedRoleId === null ? [] : [assignedRoleId],
    }
  },
}
