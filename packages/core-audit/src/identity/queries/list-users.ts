import { sql } from 'drizzle-orm/sql'
import type { Db } from '../../database/database.ts'
import { takePage } from '../../http/paging.ts'
import type { UserPage } from '../contract.ts'
import { toUser, type UserRow, userColumns } from './find-user.ts'

export interface ListUsers {
  readonly limit: number
  /** The id of the last user on the previous page. */
  readonly cursor: string | null
  /** `null` selects active and inactive users. */
  readonly isActive: boolean | null
}

/** Returns one page, newest first. Ids are in order of creation, so the page is a range scan of `users_pkey`. */
export async function listUsers(db: Db, query: ListUsers): Promise<UserPage> {
  const after = query.cursor === null ? sql`` : sql`and u.id < ${query.cursor}::uuid`
  const active = query.isActive === null ? sql`` : sql`and u.is_active = ${query.isActive}`
  const rows = await db.execute<UserRow>(sql`
    select ${userColumns}
    from core_audit.users u
    where true
      ${after}
      ${active}
    order by u.id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return { items: items.map(toUser), nextCursor: last?.id ?? null }
}
