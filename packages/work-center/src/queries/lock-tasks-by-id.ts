import { sql } from '@vertical-kit/core-audit'
import type { NavigationTarget } from '@vertical-kit/core-audit/contract'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { TaskName } from '../commands/lock-tasks.ts'
import type { Source } from '../contract.ts'
import type { TaskState } from '../policy.ts'
import type { tasks } from '../schema.ts'
import { isInForce } from './represented.ts'

/** A locked task with its last committed state. */
export interface LockedTask extends TaskState, TaskName {
  readonly id: string
  readonly title: string
  readonly source: Source
  readonly target: NavigationTarget | null
  readonly assignedUserId: string | null
}

type Row = RowOf<
  typeof tasks,
  | 'id'
  | 'code'
  | 'deduplicationKey'
  | 'title'
  | 'resourceKind'
  | 'resourceCode'
  | 'entityId'
  | 'sourceTitle'
  | 'sourceSubtitle'
  | 'target'
  | 'status'
  | 'version'
  | 'assignedUserId'
  | 'assignedRoleId'
  | 'claimedByUserId'
>

export interface LockTasksById {
  readonly ids: readonly string[]
  readonly userId: string
  /** Whether to lock tasks of which the user has no entry, too. */
  readonly isSupervisor: boolean
}

/**
 * Locks tasks until the transaction ends, in the order of {@link byName}, and returns them by id. A user without an entry of a
 * task, who substitutes no user with an entry, neither waits for its lock nor blocks other users.
 *
 * With `offset 0`, PostgreSQL looks up the entry of each task by key. It could otherwise read all entries of the user, because
 * it cannot know how many a veteran has.
 */
export async function lockTasksById(
  tx: Tx,
  { ids, userId, isSupervisor }: LockTasksById,
): Promise<ReadonlyMap<string, LockedTask>> {
  const rows = await tx.execute<Row>(
    planOnce(sql`
    select id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, source_subtitle,
      target, status, version, assigned_user_id, assigned_role_id, claimed_by_user_id
    from work_center.tasks t
    where id = any(${sql.param(ids)}::uuid[])
      and (
        ${isSupervisor}::boolean
        or exists (
          select from work_center.entries e where e.user_id = ${userId}::uuid and e.item_id = t.id offset 0
        )
        or exists (
          select
          from work_center.substitutions s
          join work_center.entries e on e.user_id = s.user_id and e.item_id = t.id
          where s.substitute_user_id = ${userId}::uuid and ${isInForce}
          offset 0
        )
      )
    order by code collate "C", deduplication_key collate "C"
    for update`),
  )
  return new Map(rows.map((row) => [row.id, toTask(row)]))
}

const toTask = (row: Row): LockedTask => ({
  id: row.id,
  code: row.code,
  deduplicationKey: row.deduplication_key,
  title: row.title,
  source: {
    resourceKind: row.resource_kind,
    resourceCode: row.resource_code,
    entityId: row.entity_id,
    title: row.source_title,
    subtitle: row.source_subtitle,
  },
  target: row.target,
  assignedUserId: row.assigned_user_id,
  status: row.status,
  version: row.version,
  assignedRoleId: row.assigned_role_id,
  claimedByUserId: row.claimed_by_user_id,
})
