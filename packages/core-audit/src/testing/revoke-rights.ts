import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../database/database.ts'

/** Deactivates a user: with the commit, their next request is refused as `auth.inactive`. No event is written. */
export async function deactivateUser(tx: Tx, subject: string): Promise<void> {
  await tx.execute(sql`update core_audit.users set is_active = false where subject = ${subject}`)
}

/** Takes every role from a user: with the commit, they hold no permission. No event is written. */
export async function removeRoles(tx: Tx, subject: string): Promise<void> {
  await tx.execute(sql`
    delete from core_audit.user_roles r
    using core_audit.users u
    where u.id = r.user_id and u.subject = ${subject}`)
}

/** Takes a permission out of every role of a user, whoever else has the role. No event is written. */
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
