import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { TaskHolder } from '../audit.ts'
import type { TaskDefinition } from '../definitions/definition.ts'
import { isInView } from '../inbox/in-view.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { requestMails } from './request-mails.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

/** A locked task, its new holder and its recipients. */
export interface GiveTask extends TaskHolder {
  readonly id: string
  readonly definition: TaskDefinition
  /** The claimer, the assignee, or all recipients of the assigned role. */
  readonly recipients: readonly string[]
  /** The role through which the recipients may have the task. */
  readonly roleId: string
}

/**
 * Gives a locked task to its new holder, and returns the changes that users see. If a user claims it, the other recipients keep
 * their hidden entries, because the task returns to them with the end of the claim. Otherwise only the new recipients keep
 * theirs. The task is unread for its recipients, and mails announce it to those who did not see it before.
 */
export async function giveTask(tx: Tx, given: GiveTask): Promise<readonly SeenChange[]> {
  const { id, definition, assignedUserId, assignedRoleId, claimedByUserId, recipients, roleId } = given
  const entryRoleId = assignedRoleId !== null && claimedByUserId === null ? assignedRoleId : null
  const rows = await tx.execute<SeenRow>(sql`
    with before as materialized (
      select e.user_id, e.view_permission
      from work_center.entries e
      where e.item_id = ${id}::uuid and ${isInView}
    ),
    task as (
      update work_center.tasks
      set assigned_user_id = ${assignedUserId}::uuid, assigned_role_id = ${assignedRoleId}::uuid,
        claimed_by_user_id = ${claimedByUserId}::uuid,
        claimed_at = case when ${assignedUserId ?? claimedByUserId}::uuid is not null then clock_timestamp() end,
        claim_role_id = case
          when ${claimedByUserId}::uuid is not null then nullif(${roleId}::uuid, ${assignedRoleId}::uuid)
        end,
        status = case when ${claimedByUserId}::uuid is null then 'Open' else 'InProgress' end,
        version = version + 1
      where id = ${id}::uuid
      returning *
    ),
    hidden as (
      update work_center.entries e
      set is_visible = false, role_id = task.assigned_role_id
      from task
      where e.item_id = task.id and task.claimed_by_user_id is not null and e.user_id <> task.claimed_by_user_id
    ),
    gone as (
      delete from work_center.entries e
      using task
      where e.item_id = task.id
        and task.claimed_by_user_id is null
        and not exists (
          select from unnest(${sql.param(recipients)}::uuid[]) r (user_id) where r.user_id = e.user_id
        )
    ),
    given as (
      insert into work_center.entries as e (
        user_id, item_id, kind, role_id, view_permission, resource_code, priority, due_at, sort_at, changes_at
      )
      select r.user_id, task.id, 'Task', ${entryRoleId}::uuid,
        task.resource_kind || '.' || task.resource_code || '.view', task.resource_code, task.priority, task.due_at,
        task.sort_at,
        ${nextChange({ isOpen: sql`true`, snoozedUntil: noInstant, dueAt: sql`task.due_at`, expiresAt: noInstant })}
      from task
      cross join unnest(${sql.param(recipients)}::uuid[]) r (user_id)
      on conflict (user_id, item_id) do update
      set role_id = excluded.role_id, is_visible = true, read_at = null, snoozed_until = null,
        changes_at = excluded.changes_at, arrived_in = pg_current_xact_id()
      returning e.user_id, e.item_id, e.view_permission
    )${requestMails(
      [definition],
      sql`
        select user_id, item_id, ${definition.code}::text as code
        from given
        where user_id not in (select user_id from before)`,
    )}
    ${bySeen(sql`
      select user_id, view_permission from before
      union
      select user_id, view_permission from given`)}`)
  return changesOf(rows)
}

const noInstant = sql`null::timestamptz`
