import { newId, type Tx } from '@vertical-kit/core-audit'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { ItemTarget, Priority, Source } from '../contract.ts'
import type { TaskDefinition } from '../definitions/definition.ts'
import { isInView } from '../inbox/in-view.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { fromRecipients } from './recipients.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/** Whose task it is: one user's, or one role's, of whom one claims it. */
export type Assignment = { readonly userId: string } | { readonly roleCode: string }

/** A task to be there. */
export interface CreateTask {
  /** What it is about, in the creator's words: one active task of a code for each. */
  readonly deduplicationKey: string
  readonly title: string
  readonly description?: string
  readonly source: Source
  readonly priority?: Priority
  readonly dueAtUtc?: string | null
  readonly assignedTo: Assignment
  readonly primaryActionCode?: string | null
  readonly target?: ItemTarget | null
}

/**
 * Makes sure that the task is there, and returns who sees something new. While it is active nothing changes; one that was
 * completed or cancelled is open again, as this call says, for whoever may receive it now. Without anybody to receive
 * it there is no task.
 *
 * One statement, whatever the number of recipients. Recipients are the active members of the role to whom the
 * definition applies and who have not switched it off; or the one user, likewise.
 */
export async function createTask(
  tx: Tx,
  definition: TaskDefinition,
  input: CreateTask,
): Promise<readonly SeenChange[]> {
  const { source, target = null, dueAtUtc = null, priority = 'Normal' } = input
  const viewPermission = `${source.resourceKind}.${source.resourceCode}.view`
  const assignedUserId = 'userId' in input.assignedTo ? input.assignedTo.userId : null
  const rows = await tx.execute<SeenRow>(sql`
    with recipient as (${recipientsOf(definition, input.assignedTo)}),
    task as (
      insert into work_center.tasks as t (
        id, code, deduplication_key, title, description, resource_kind, resource_code, entity_id,
        source_title, source_subtitle, priority, due_at, assigned_user_id, assigned_role_id, primary_action_code, target
      )
      select ${newId()}::uuid, ${definition.code}, ${input.deduplicationKey}, ${input.title},
        ${input.description ?? ''}, ${source.resourceKind}, ${source.resourceCode}, ${source.entityId}::uuid,
        ${source.title}, ${source.subtitle}, ${priority}, ${dueAtUtc}::timestamptz, ${assignedUserId}::uuid,
        (select role_id from recipient limit 1), ${input.primaryActionCode ?? null},
        ${target === null ? null : JSON.stringify(target)}::jsonb
      where exists (select from recipient)
      on conflict (code, deduplication_key) do update
      set title = excluded.title, description = excluded.description, resource_kind = excluded.resource_kind,
        resource_code = excluded.resource_code, entity_id = excluded.entity_id,
        source_title = excluded.source_title, source_subtitle = excluded.source_subtitle,
        priority = excluded.priority, due_at = excluded.due_at,
        assigned_user_id = excluded.assigned_user_id, assigned_role_id = excluded.assigned_role_id,
        primary_action_code = excluded.primary_action_code, target = excluded.target,
        status = 'Open', claimed_by_user_id = null, closed_at = null, version = t.version + 1,
        sort_at = clock_timestamp()
      where t.closed_at is not null
      returning t.id, t.sort_at, t.due_at
    ),
    gone as (
      delete from work_center.entries e
      using task
      where e.item_id = task.id and e.user_id not in (select user_id from recipient)
      returning e.user_id, e.role_id, e.view_permission, e.is_visible
    ),
    entry as (
      insert into work_center.entries as e (
        user_id, item_id, kind, role_id, view_permission, resource_code, priority, due_at, sort_at, changes_at
      )
      select r.user_id, task.id, 'Task', r.role_id, ${viewPermission}, ${source.resourceCode}, ${priority},
        task.due_at, task.sort_at,
        ${nextChange({ isOpen: sql`true`, snoozedUntil: noInstant, dueAt: sql`task.due_at`, expiresAt: noInstant })}
      from task, recipient r
      on conflict (user_id, item_id) do update
      set role_id = excluded.role_id, view_permission = excluded.view_permission,
        resource_code = excluded.resource_code, priority = excluded.priority, due_at = excluded.due_at,
        is_open = true, is_visible = true, read_at = null, snoozed_until = null, sort_at = excluded.sort_at,
        changes_at = excluded.changes_at
      returning e.user_id, e.view_permission
    )
    select user_id, view_permission from entry
    union all
    select e.user_id, e.view_permission from gone e where ${isInView}`)
  return changesOf(rows)
}

const noInstant: SQL = sql`null::timestamptz`

/** `user_id` and `role_id` of everybody a task is for; the role is null for a task of one user. */
function recipientsOf(definition: TaskDefinition, to: Assignment): SQL {
  const isRole = 'roleCode' in to
  return sql`
      select distinct m.user_id, ${isRole ? sql`m.role_id` : sql`null::uuid`} as role_id
      ${fromRecipients(definition)}
        and ${isRole ? sql`m.role_code = ${to.roleCode}` : sql`m.user_id = ${to.userId}::uuid`}`
}
