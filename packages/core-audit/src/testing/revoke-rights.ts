import type { Tx } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Deactivates a user: after the commit, the user's next request is rejected with `auth.inactive`. Writes no event. */
export async function deactivateUser(tx: Tx, subject: string): Promise<void> {
  await tx.execute(sql`update core_audit.users set is_active = false where subject = ${subject}`)
}

/** Removes every role of a user: after the commit, the user has no permissions. Writes no event. */
export async function removeRoles(tx: Tx, subject: string): Promise<void> {
  await tx.execute(sql`
    delete from core_audit.user_roles r
    using core_audit.users u
    where u.id = r.user_id and u.subject = ${subject}`)
}

/** Removes a permission from every role of a user. This also affects other users with these roles. Writes no event. */
export async function removePermission(tx: Tx, subject: string, permission: string): Promise<void> {
  await tx.execute(sql`
    update core_audit.roles
    set permissions = array_remove(permissions, ${permission})
    where id in (
      select r.role_id
      from core_audit.user_roles r
      join core_audit.users u on u.id = r.user_id
      where u.subject = ${subject}
    )`)
}
