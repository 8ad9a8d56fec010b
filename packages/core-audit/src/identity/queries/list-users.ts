import type { Db } from '../../database/database.ts'
import { searchPattern } from '../../database/search-pattern.ts'
import { sql } from '../../database/sql.ts'
import { takePage } from '../../http/paging.ts'
import type { UserPage } from '../contract.ts'
import { toUser, type UserRow, userColumns } from './find-user.ts'

export interface ListUsers {
  readonly limit: number
  /** The id of the last user on the previous page. */
  readonly cursor: string | null
  /** `null` selects active and inactive users. */
  readonly isActive: boolean | null
  /** A part of the name, email address or subject; `null` selects all users. */
  readonly q: string | null
}

/** Returns one page, newest first. Ids are in order of creation, so the page is a range scan of `users_pkey`. */
export async function listUsers(db: Db, query: ListUsers): Promise<UserPage> {
  const after = query.cursor === null ? sql`` : sql`and u.id < ${query.cursor}::uuid`
  const active = query.isActive === null ? sql`` : sql`and u.is_active = ${query.isActive}`
  const matching =
    query.q === null
      ? sql``
      : sql`and concat_ws(' ', u.display_name, u.email, u.subject) ~ ${searchPattern(query.q)}`
  const rows = await db.execute<UserRow>(sql`
    select ${userColumns}
    from core_audit.users u
    where true
      ${after}
      ${active}
      ${matching}
    order by u.id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return { items: items.map(toUser), nextCursor: last?.id ?? null }
}
