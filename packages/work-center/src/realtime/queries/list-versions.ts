import { sql } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { userVersions } from '../../schema-internal.ts'
import type { VersionsOf } from '../catch-up.ts'

/** Lists versions by user id. Uses the index `user_versions_pkey`. */
export const listVersions: VersionsOf = async (db, userIds) => {
  const rows = await db.execute<RowOf<typeof userVersions>>(sql`
    select user_id, version
    from work_center.user_versions
    where user_id = any(${sql.param(userIds)}::uuid[])`)
  return new Map(rows.map((row) => [row.user_id, Number(row.version)]))
}
