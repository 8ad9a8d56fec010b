import { sql } from '@vertical-kit/core-audit'
import type { RowOf, userAccounts } from '@vertical-kit/core-audit/schema'
import type { AccountsOf } from '../account-check.ts'

/** Lists accounts by subject. Uses the index `users_subject_key`. */
export const listAccounts: AccountsOf = async (db, subjects) => {
  const rows = await db.execute<RowOf<typeof userAccounts>>(sql`
    select subject, id, is_active
    from core_audit.user_accounts
    where subject = any(${sql.param(subjects)}::text[])`)
  return rows.map((row) => ({ subject: row.subject, userId: row.id, isActive: row.is_active }))
}
