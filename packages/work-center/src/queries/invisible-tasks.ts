import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import { hasItsRole } from '../inbox/in-view.ts'
import { isInForce } from './represented.ts'

/**
 * Returns the condition that no active user may see task `t` now: each user with a visible entry is inactive, has lost its
 * role, or lacks the permission to view the source, and so has their substitute. Only roles in the database count: the service
 * does not know the roles in the tokens of absent users. The index `entries_by_item` serves the condition.
 *
 * @param administratorRoleCodes codes of the roles that grant all permissions
 */
export const isInvisible = (administratorRoleCodes: readonly string[]): SQL => sql`
      t.closed_at is null
      and not exists (
        select
        from work_center.entries e
        join core_audit.user_accounts a on a.id = e.user_id and a.is_active
        where e.item_id = t.id and e.is_visible and ${hasItsRole}
          and (
            ${mayView(sql`e.user_id`, administratorRoleCodes)}
            or exists (
              select
              from work_center.substitutions s
              where s.user_id = e.user_id and ${isInForce}
                and ${mayView(sql`s.substitute_user_id`, administratorRoleCodes)}
            )
          )
      )`

/** The condition that an active user may view the source of entry `e`. */
const mayView = (userId: SQL, administratorRoleCodes: readonly string[]): SQL => sql`exists (
              select
              from core_audit.active_role_members m
              where m.user_id = ${userId} and ${grantsView(sql`e.view_permission`, administratorRoleCodes)}
            )`

/** The condition that role `m` grants a permission. */
export const grantsView = (permission: SQL, administratorRoleCodes: readonly string[]): SQL =>
  sql`(${permission} = any(m.permissions) or m.role_code = any(${sql.param(administratorRoleCodes)}::text[]))`

/** The maximum number of open tasks that one count checks: the oldest ones. About 20 µs each. */
const checkedMax = 10_000

/** Counts the invisible tasks among the oldest open tasks. Uses the index `tasks_open_by_time`. */
export async function countInvisibleTasks(
  db: Db,
  administratorRoleCodes: readonly string[],
): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count
    from (
      select id, closed_at
      from work_center.tasks
      where closed_at is null
      order by sort_at, id
      limit ${checkedMax}
    ) t
    where ${isInvisible(administratorRoleCodes)}`)
  return row?.count ?? 0
}
