import { type SQL, sql } from '@vertical-kit/core-audit'
import type { ActivityQuery } from '@vertical-kit/core-audit/objects'
import { itemColumns, withItems } from './item-row.ts'
import { seenEntries, withRepresented } from './represented.ts'
import { supervisorOf } from './viewer.ts'

/**
 * Builds the statement of an object's newest tasks in its activity: those that the caller sees in the Work Center, also for
 * the users that they substitute, or all if the caller supervises. A supervisor who does not see a task in the Work Center sees
 * it as unread. Scans the index `tasks_by_source`.
 */
export function selectObjectTasks({ caller, target, actorUserId, limit, within }: ActivityQuery): SQL {
  const viewer = supervisorOf(caller)
  const tasks = sql`(
      select t.id as item_id, 'Task' as kind, t.resource_code, t.priority, null as severity, t.sort_at, t.due_at,
        t.closed_at is null as is_open, e.read_at, e.snoozed_until,
        nullif(e.user_id, ${viewer.userId}::uuid) as on_behalf_of
      from work_center.tasks t
      left join lateral ${seenEntries(viewer, sql`e.item_id = t.id`)} e on true
      where t.entity_id = ${target.id}::uuid
        and t.resource_code = ${target.typeCode}
        and t.resource_kind = ${target.kind === 'CatalogItem' ? 'catalog' : 'document'}
        ${viewer.isSupervisor ? sql`` : sql`and e.item_id is not null`}
        ${actorUserId === null ? sql`` : sql`and coalesce(t.claimed_by_user_id, t.assigned_user_id) = ${actorUserId}::uuid`}
        ${within({ id: sql`t.id` })}
      order by t.id desc
      limit ${limit}
    )`
  return sql`
    ${withRepresented(viewer)}
    select ${itemColumns}, e.on_behalf_of, o.display_name as on_behalf_of_name
    ${withItems(tasks)}
    left join core_audit.user_names o on o.id = e.on_behalf_of`
}
