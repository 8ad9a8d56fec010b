import { holds } from '@vertical-kit/core-audit/access'
import type { ActivityQuery } from '@vertical-kit/core-audit/objects'
import { type SQL, sql } from 'drizzle-orm/sql'
import { supervise } from '../permissions.ts'
import { itemColumns, withItems } from './item-row.ts'
import { isSeenBy, viewerOf } from './viewer.ts'

/**
 * Builds the statement of an object's newest tasks in its activity: those that the caller sees in the Work Center, or all if
 * the caller supervises. A supervisor without an entry of a task sees it as unread. Scans the index `tasks_by_source`.
 */
export function selectObjectTasks(query: ActivityQuery): SQL {
  const { caller, target, actorUserId, limit, within } = query
  const viewer = viewerOf(caller)
  const own = viewer === null ? sql`false` : isSeenBy(viewer)
  const tasks = sql`(
      select t.id as item_id, 'Task' as kind, t.resource_code, t.priority, null as severity, t.sort_at, t.due_at,
        t.closed_at is null as is_open, e.read_at, e.snoozed_until
      from work_center.tasks t
      left join work_center.entries e on e.item_id = t.id and ${own}
      where t.entity_id = ${target.id}::uuid
        and t.resource_code = ${target.typeCode}
        and t.resource_kind = ${target.kind === 'CatalogItem' ? 'catalog' : 'document'}
        ${holds(caller, supervise) ? sql`` : sql`and e.item_id is not null`}
        ${actorUserId === null ? sql`` : sql`and coalesce(t.claimed_by_user_id, t.assigned_user_id) = ${actorUserId}::uuid`}
        ${within({ id: sql`t.id` })}
      order by t.id desc
      limit ${limit}
    )`
  return sql`select ${itemColumns} ${withItems(tasks)}`
}
