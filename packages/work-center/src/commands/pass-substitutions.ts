import { sql } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { lockSubstitutions } from './claims-lock.ts'
import { raiseVersions } from './raise-versions.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/**
 * Raises the versions of substitutes whose period has started or ended, and deletes ended substitutions. Reads one index entry
 * if there are none. Otherwise it waits for all changes of tasks in progress: these could have been made for the view before.
 */
export async function passSubstitutions(
  database: Database,
  administratorRoleCodes: readonly string[],
): Promise<VersionChanges> {
  const [due] = await database.read((db) =>
    db.execute(sql`
      select from work_center.substitutions where changes_at <= statement_timestamp() limit 1`),
  )
  if (due === undefined) return new Map()
  return database.transaction(async (tx) => {
    const [, rows] = await Promise.all([lockSubstitutions(tx), passPeriods(tx)])
    return raiseVersions(tx, administratorRoleCodes, changesOf(rows))
  })
}

const passPeriods = (tx: Tx) =>
  tx.execute<SeenRow>(sql`
    with ended as (
      delete from work_center.substitutions
      where changes_at <= statement_timestamp() and until_at <= statement_timestamp()
      returning substitute_user_id
    ),
    started as (
      update work_center.substitutions
      set changes_at = until_at
      where changes_at <= statement_timestamp() and until_at > statement_timestamp()
      returning substitute_user_id
    )
    select null as view_permission, string_agg(distinct s.substitute_user_id::text, ',') as user_ids
    from (select substitute_user_id from ended union select substitute_user_id from started) s`)
