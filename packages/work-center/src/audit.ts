import type { AuditSource, NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import { generalJournalEntryTypeCode } from '@vertical-kit/core-audit/contract'
import type { LockedTask } from './queries/lock-tasks-by-id.ts'

/** The module name in all audit events of this package. */
export const auditModule = 'work-center'

interface TaskEvent {
  /** The task before the change. */
  readonly task: LockedTask
  readonly actor: Actor
  /** The user that the actor substitutes for this task; `null` if the actor acts for themselves. */
  readonly onBehalfOf: string | null
}

/** Returns the audit event `work_center.task_claimed`: a substitute has claimed a task for another user. */
export const taskClaimed = (event: TaskEvent): NewAuditEvent => ({
  ...about(event, 'work_center.task_claimed'),
  changes: [{ fieldPath: 'claimedByUserId', oldValue: null, newValue: event.onBehalfOf }],
})

/** The users or the role with a task. */
export type TaskHolder = Pick<LockedTask, 'assignedUserId' | 'assignedRoleId' | 'claimedByUserId'>

/** Returns the audit event `work_center.task_forwarded`, with the comment. */
export function taskForwarded(
  event: TaskEvent & { readonly after: TaskHolder; readonly comment: string | null },
): NewAuditEvent {
  const { task, after, comment } = event
  const forwarded = about(event, 'work_center.task_forwarded')
  return {
    ...forwarded,
    metadata: { ...forwarded.metadata, ...(comment === null ? {} : { comment }) },
    changes: (['assignedUserId', 'assignedRoleId', 'claimedByUserId'] as const)
      .filter((name) => task[name] !== after[name])
      .map((name) => ({ fieldPath: name, oldValue: task[name], newValue: after[name] })),
  }
}

/** Returns the audit event `work_center.task_released`: the claim of a user ended before the task was closed. */
export const taskReleased = (event: TaskEvent): NewAuditEvent => ({
  ...about(event, 'work_center.task_released'),
  changes: [{ fieldPath: 'claimedByUserId', oldValue: event.task.claimedByUserId, newValue: null }],
})

/** Returns the users and roles in an event of this package. */
export const peopleInTaskEvent: NonNullable<AuditSource['peopleIn']> = ({ changes, metadata }) => {
  const valuesOf = (...names: readonly (keyof TaskHolder)[]) =>
    changes
      .filter(({ fieldPath }) => names.some((name) => name === fieldPath))
      .flatMap(({ oldValue, newValue }) => [oldValue, newValue])
  return {
    userIds: [...valuesOf('assignedUserId', 'claimedByUserId'), metadata?.['onBehalfOfUserId']],
    roleIds: valuesOf('assignedRoleId'),
  }
}

/** Events belong to the business object of the task. If its source is no business object, they belong to the task itself. */
function about({ task, actor, onBehalfOf }: TaskEvent, actionCode: string): NewAuditEvent {
  return {
    module: auditModule,
    target: targetOf(task),
    actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: {
      ...{ taskId: task.id, code: task.code, title: task.title, version: task.version + 1 },
      ...(onBehalfOf === null ? {} : { onBehalfOfUserId: onBehalfOf }),
    },
  }
}

function targetOf({ id, source }: LockedTask): NewAuditEvent['target'] {
  const { resourceKind, resourceCode: typeCode, entityId } = source
  const isJournal = typeCode === generalJournalEntryTypeCode
  if (resourceKind === 'catalog') return { kind: 'CatalogItem', typeCode, id: entityId }
  if (resourceKind === 'document') {
    return { kind: isJournal ? 'GeneralJournalEntry' : 'Document', typeCode, id: entityId }
  }
  return { kind: 'WorkCenterTask', typeCode: 'system.work_center.task', id }
}
