import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'

type Row = { id: string; display: string }

/** Returns the names of users, by id. Unknown users have none. */
export const findUserNames = (db: Db, ids: ReadonlySet<string>): Promise<readonly Row[]> =>
  findNames(db, sql`select id, display_name as display from core_audit.user_names`, ids)

/** Returns the names of roles, by id. */
export const findRoleNames = (db: Db, ids: ReadonlySet<string>): Promise<readonly Row[]> =>
  findNames(db, sql`select id, name as display from core_audit.roles`, ids)

async function findNames(db: Db, select: SQL, ids: ReadonlySet<string>): Promise<readonly Row[]> {
  if (ids.size === 0) return []
  return db.execute<Row>(sql`${select} where id = any(${sql.param([...ids])}::uuid[])`)
}
