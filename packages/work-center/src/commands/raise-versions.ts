import { sql } from '@vertical-kit/core-audit'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import type { SeenChange, VersionChanges } from '../inbox/version-changes.ts'
import { isInForce } from '../queries/represented.ts'

/**
 * Adds one to the version of each user that sees at least one of the changes, and of the current substitutes of users that see
 * a change of a task.
 * Run it as the last statement of the transaction, because it locks version rows until the commit. All writers lock version
 * rows in the order of user ids, which prevents deadlocks.
 *
 * The version does not change for users and substitutes without permission to view the source. It always grows for users
 * without a role in the database, because their rights can come from a token. A needless refresh is better than a missed
 * change.
 *
 * Checks each pair of role and permission once, not once per user, because roles have many permissions. With `offset 0`,
 * PostgreSQL looks up the roles of each user by key. A join could read the members of all roles, because PostgreSQL cannot know
 * how few users see a change.
 *
 * @param administratorRoleCodes codes of the roles that grant all permissions
 */
export async function raiseVersions(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  changes: readonly SeenChange[],
): Promise<VersionChanges> {
  if (changes.length === 0) return new Map()
  const rows = await tx.execute<{ version: string; user_ids: string }>(
    planOnce(sql`
    with concerned as materialized (
      select distinct u.user_id, c.view_permission, c.is_private
      from unnest(
        ${sql.param(changes.map(({ userIds }) => userIds))}::text[],
        ${sql.param(changes.map(({ viewPermission }) => viewPermission))}::text[],
        ${sql.param(changes.map(({ isPrivate = false }) => String(isPrivate)))}::text[]::boolean[]
      ) c (user_ids, view_permission, is_private)
      cross join lateral unnest(string_to_array(c.user_ids, ',')::uuid[]) u (user_id)
    ),
    seen as materialized (
      select user_id, view_permission from concerned
      union
      select s.substitute_user_id, c.view_permission
      from work_center.substitutions s
      join concerned c on c.user_id = s.user_id
      where ${isInForce} and c.view_permission is not null and not c.is_private
    ),
    member as materialized (
      select u.user_id, m.role_id
      from (select distinct user_id from seen) u
      cross join lateral (
        select m.role_id from core_audit.active_role_members m where m.user_id = u.user_id offset 0
      ) m
    ),
    able as materialized (
      select r.role_id, p.view_permission
      from (select distinct on (role_id) role_id, user_id from member) r
      cross join lateral (
        select m.role_code, m.permissions
        from core_audit.active_role_members m
        where m.user_id = r.user_id and m.role_id = r.role_id
        offset 0
      ) role
      cross join (select distinct view_permission from seen) p
      where p.view_permission = any(role.permissions)
        or role.role_code = any(${sql.param(administratorRoleCodes)}::text[])
    ),
    raised as (
      insert into work_center.user_versions as v (user_id, version)
      select distinct s.user_id, 1
      from seen s
      left join member m on m.user_id = s.user_id
      left join able a on a.role_id = m.role_id and a.view_permission = s.view_permission
      where s.view_permission is null or m.role_id is null or a.role_id is not null
      order by s.user_id
      on conflict (user_id) do update set version = v.version + 1
      returning user_id, version
    )
    select version, string_agg(user_id::text, ',') as user_ids from raised group by version`),
  )
  return new Map(
    rows.flatMap((row) => row.user_ids.split(',').map((userId) => [userId, Number(row.version)] as const)),
  )
}
