import type { Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import type { SeenChange, VersionChanges } from '../inbox/version-changes.ts'

/**
 * Raises the version of everybody who sees one of the changes, by one. The last statement of its transaction: from here
 * on the versions' rows are locked, in the order of users, which all writers share, so that two never wait for each
 * other in a circle.
 *
 * Who may not view the source sees no change and keeps their version. Whose rights come from their token alone has no
 * role here to ask, and is told: a look for nothing costs less than one that is missed.
 *
 * @param administratorRoleCodes codes of roles that may view everything
 */
export async function raiseVersions(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  changes: readonly SeenChange[],
): Promise<VersionChanges> {
  if (changes.length === 0) return new Map()
  const rows = await tx.execute<{ user_id: string; version: string }>(sql`
    insert into work_center.user_versions as v (user_id, version)
    select distinct c.user_id, 1
    from unnest(
      ${sql.param(changes.map(({ userId }) => userId))}::uuid[],
      ${sql.param(changes.map(({ viewPermission }) => viewPermission))}::text[]
    ) c (user_id, view_permission)
    where c.view_permission is null
      or not exists (select from core_audit.active_role_members m where m.user_id = c.user_id)
      or exists (
        select
        from core_audit.active_role_members m
        where m.user_id = c.user_id
          and (
            c.view_permission = any(m.permissions)
            or m.role_code = any(${sql.param(administratorRoleCodes)}::text[])
          )
      )
    order by c.user_id
    on conflict (user_id) do update set version = v.version + 1
    returning user_id, version`)
  return new Map(rows.map((row) => [row.user_id, Number(row.version)]))
}
