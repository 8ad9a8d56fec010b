import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/** Takes a permission out of every role of a user. */
export async function takePermission(database: Database, subject: string, permission: string): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`
      update core_audit.roles
      set permissions = array_remove(permissions, ${permission})
      where id in (
        select r.role_id
        from core_audit.user_roles r
        join core_audit.users u on u.id = r.user_id
        where u.subject = ${subject}
      )`),
  )
}

/** Keeps a user out. */
export async function deactivate(database: Database, subject: string): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`update core_audit.users set is_active = false where subject = ${subject}`),
  )
}
