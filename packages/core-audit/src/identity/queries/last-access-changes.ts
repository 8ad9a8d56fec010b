import { roleTarget, userTarget } from '../../audit/security-events.ts'
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { RoleAction, UserAction } from '../audit.ts'

/** The actions that can give a user access. */
const giving: readonly (RoleAction | UserAction)[] = [
  'roles.permissions_changed',
  'roles.reactivated',
  'users.reactivated',
  'users.roles_changed',
]

/** The users whose access can have changed, and since when. */
export interface AccessChangeQuery {
  readonly userIds: readonly string[]
  /** Finds only changes with larger ids of their audit events. */
  readonly afterId: string
}

/**
 * Returns the id of the last audit event that can have given each of these users more access: of a user, or of a role that the
 * user has. Users without such an event are missing. Runs one statement, which reads only the events after `afterId` of users
 * and roles.
 */
export async function lastAccessChanges(
  db: Db,
  { userIds, afterId }: AccessChangeQuery,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.execute<{ user_id: string; id: string }>(sql`
    with change as materialized (
      select id, target_id
      from core_audit.audit_events
      where target_type_code in (${roleTarget.typeCode}, ${userTarget.typeCode})
        and action_code = any(${sql.param(giving)}::text[])
        and id > ${afterId}::uuid
    )
    select distinct on (c.user_id) c.user_id, c.id
    from (
      select target_id as user_id, id from change
      union all
      select ur.user_id, change.id from change join core_audit.user_roles ur on ur.role_id = change.target_id
    ) c
    where c.user_id = any(${sql.param(userIds)}::uuid[])
    order by c.user_id, c.id desc`)
  return new Map(rows.map((row) => [row.user_id, row.id]))
}
