import { type SQL, sql } from '@vertical-kit/core-audit'
import { hasItsRole, hasItsRoleOf } from '../inbox/in-view.ts'
import { entriesWithItems, itemColumns } from './item-row.ts'
import { hasOwnRole, isSeenBy, isViewable, type Viewer } from './viewer.ts'

/** The condition that substitution `s` applies now, by the clock of the database. */
export const isInForce: SQL = sql`s.from_at <= statement_timestamp() and s.until_at > statement_timestamp()`

/** The condition that the viewer substitutes somebody now. One probe of the index `substitutions_by_substitute`. */
export const isSubstitute = ({ userId }: Pick<Viewer, 'userId'>): SQL => sql`exists (
      select from work_center.substitutions s where s.substitute_user_id = ${userId}::uuid and ${isInForce}
    )`

/** A CTE with the active users that the viewer substitutes now. The index `substitutions_by_substitute` serves it. */
export const withRepresented = ({ userId }: Pick<Viewer, 'userId'>): SQL => sql`
    with represented as materialized (
      select s.user_id
      from work_center.substitutions s
      join core_audit.user_accounts a on a.id = s.user_id and a.is_active
      where s.substitute_user_id = ${userId}::uuid and ${isInForce}
    )`

/**
 * The condition that the viewer sees entry `e` of `represented`. A represented user's entry needs that user's role and the
 * viewer's own permission to view the source. A task occurs once: an own entry comes first, then the entry of the represented
 * user with the smallest id.
 */
const isSeenFor = (viewer: Viewer): SQL => sql`
            e.user_id = represented.user_id
            and e.kind = 'Task' and e.is_visible and ${hasItsRole} and ${isViewable(viewer)}
            and not exists (
              select from work_center.entries own
              where own.user_id = ${viewer.userId}::uuid and own.item_id = e.item_id and own.is_visible
                and ${hasOwnRole(viewer, sql`own`)}
            )
            and not exists (
              select
              from represented other
              join work_center.entries o on o.user_id = other.user_id and o.item_id = e.item_id
              where other.user_id < e.user_id and o.is_visible and ${hasItsRoleOf(sql`o`)}
            )`

/**
 * Returns a relation with the entries that the viewer sees and that match `where`: their own, and those of tasks of the users
 * that they substitute. Requires {@link withRepresented}.
 */
export const seenEntries = (viewer: Viewer, where: SQL): SQL => sql`(
      select e.* from work_center.entries e where ${isSeenBy(viewer)} and ${where}
      union all
      select e.*
      from represented
      cross join lateral (
        select e.* from work_center.entries e where ${isSeenFor(viewer)} and ${where}
      ) e
    )`

/** The items to read. */
export interface ItemSelection {
  /** The condition on entries `e`, and on their task `t` or notification `n`. */
  readonly where: SQL
  /** Further columns, each after a comma. */
  readonly columns?: SQL
  /** An `order by` with a `limit`. Each part of the statement is then one range of an index. */
  readonly range?: SQL
}

/**
 * Returns a statement that reads the viewer's own items, and whether they substitute another user. There is always a first row.
 * The join has a single row on its left side, so it keeps the order of the items.
 *
 * Few users are substitutes at any time, so only they need {@link selectSeenItems}, which costs 0.2 ms more.
 */
export const selectOwnItems = (
  viewer: Viewer,
  { where, columns = sql``, range = sql`` }: ItemSelection,
): SQL => sql`
    select s.is_substitute, i.*
    from (select ${isSubstitute(viewer)} as is_substitute) s
    left join lateral (
      select ${itemColumns} ${columns}
      ${entriesWithItems}
      where ${isSeenBy(viewer)} and ${where}
      ${range}
    ) i on true`

/** A row of {@link selectOwnItems}. Without an item, it has the state of substitution only. */
export type OwnRow<Row> = (Row | { readonly item_id: null }) & { readonly is_substitute: boolean }

/** Returns the rows with an item. */
export const ownItems = <Row extends { readonly item_id: string }>(
  rows: readonly OwnRow<Row>[],
): readonly Row[] => rows.filter((row): row is Row & OwnRow<Row> => row.item_id !== null)

/** Returns a statement that reads the items that the viewer sees, also for the users that they substitute. */
export const selectSeenItems = (
  viewer: Viewer,
  { where, columns = sql``, range = sql`` }: ItemSelection,
): SQL => sql`
    ${withRepresented(viewer)}
    select *
    from (
      (
        select ${itemColumns} ${columns}, null::uuid as on_behalf_of, null::text as on_behalf_of_name
        ${entriesWithItems}
        where ${isSeenBy(viewer)} and ${where}
        ${range}
      )
      union all
      (
        select i.*
        from represented
        cross join lateral (
          select ${itemColumns} ${columns}, e.user_id as on_behalf_of,
            (select u.display_name from core_audit.user_names u where u.id = e.user_id) as on_behalf_of_name
          ${entriesWithItems}
          where ${isSeenFor(viewer)} and ${where}
          ${range}
        ) i
      )
    ) i`
