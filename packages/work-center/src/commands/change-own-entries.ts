import { type SQL, sql } from '@vertical-kit/core-audit'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import type { ItemKind } from '../contract.ts'
import { hasItsRole } from '../inbox/in-view.ts'
import { findItems, isEntryOf, nameOf } from '../queries/find-items.ts'
import { isInForce } from '../queries/represented.ts'
import { isSeenBy, isViewable, type Viewer } from '../queries/viewer.ts'
import { type ChangeConfig, type ChangedItems, type ItemChange, notFound } from './change-items.ts'
import { lockActingEntries } from './lock-entries.ts'
import { raiseVersions } from './raise-versions.ts'
import { bySeen, changesOf, type SeenRow, withActor } from './seen-row.ts'

/** An update of an entry with the alias `e`. */
interface EntryChange {
  /** The only kind of items that can have this change. Absent if both kinds can. */
  readonly kind?: ItemKind
  readonly set: SQL
  /** The condition under which the update changes the entry. If it is false, no version is raised. */
  readonly when: SQL
}

/**
 * Changes the user's own entries of items, or those of users that they substitute. Locks the entries before it checks the user's rights. When identical changes run
 * concurrently, only the first one raises the version. Runs the same number of statements for any number of items.
 */
export async function changeOwnEntries(
  tx: Tx,
  { administratorRoleCodes }: ChangeConfig,
  { items, viewer: { userId }, viewerNow }: ItemChange,
  { kind, set, when }: EntryChange,
): Promise<ChangedItems> {
  const names = items.filter((item) => kind === undefined || item.kind === kind)
  const ids = names.map(({ id }) => id)
  const [held, viewer] = await Promise.all([lockActingEntries(tx, { userId, ids }), viewerNow(tx)])
  const [rows, found] = await Promise.all([
    tx.execute<SeenRow>(
      planOnce(sql`
      with changed as (
        update work_center.entries e
        set ${set}
        from unnest(
          ${sql.param(held.map((one) => one.userId))}::uuid[],
          ${sql.param(held.map((one) => one.id))}::uuid[]
        ) held (user_id, item_id)
        where e.user_id = held.user_id and e.item_id = held.item_id
          and ${isHeldBy(viewer)} and ${isEntryOf(names)} and ${when}
        returning e.user_id, e.view_permission, e.kind
      )
      ${bySeen(sql`select distinct user_id, view_permission, kind from changed`, sql`seen.kind = 'Notification'`)}`),
    ),
    findItems(tx, viewer, names),
  ])
  return {
    results: items.map((item) => found.get(nameOf(item)) ?? notFound()),
    versions: await raiseVersions(tx, administratorRoleCodes, withActor(changesOf(rows), userId)),
  }
}

/** The condition that the viewer sees entry `e` as their own, or now substitutes its user. */
const isHeldBy = (viewer: Viewer): SQL => sql`(
            (${isSeenBy(viewer)})
            or (
              e.kind = 'Task' and e.is_visible and ${hasItsRole} and ${isViewable(viewer)}
              and exists (
                select
                from work_center.substitutions s
                join core_audit.user_accounts a on a.id = s.user_id and a.is_active
                where s.user_id = e.user_id and s.substitute_user_id = ${viewer.userId}::uuid and ${isInForce}
              )
            )
          )`
