import { isStoredInstant, type SQL, sql, toInstant } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { takePage, writeCursor } from '@vertical-kit/core-audit/http'
import * as v from 'valibot'
import type { Item, TaskStatus, TeamSort, TeamTask, TeamTaskPage } from '../contract.ts'
import { isInvisible } from './invisible-tasks.ts'
import { type ItemRow, itemColumns, toItem, withItems } from './item-row.ts'
import { readPosition } from './read-through.ts'
import type { Viewer } from './viewer.ts'

/** The filters of the team's list. `null` disables a filter. */
export interface TeamFilters {
  /** `null` selects open tasks and tasks in progress. */
  readonly status: TaskStatus | null
  /** Tasks that this user has claimed, or that are assigned to this user. */
  readonly claimedBy: string | null
  /** The code of the assigned role. */
  readonly role: string | null
  readonly overdue: boolean | null
  readonly invisible: boolean | null
}

export interface ListTeamTasks {
  readonly filters: TeamFilters
  readonly sort: TeamSort
  /** The page size, 1–100. */
  readonly limit: number
  readonly cursor: string | null
}

/** The order of closed tasks is their time of closing, whatever `sort` is: only open tasks have indexes for other orders. */
type Order = TeamSort | 'closed'

type Row = ItemRow & {
  order_key: string
  holder_id: string | null
  holder_name: string | null
  since: string
  role_code: string | null
  role_name: string | null
  recipient_count: number
}

const isClosed = (status: TaskStatus | null): boolean => status === 'Completed' || status === 'Cancelled'

/**
 * Returns one page of the tasks with a source that the supervisor may view. One statement scans a range of an index of tasks
 * that starts at the cursor: `tasks_open_by_due`, `tasks_open_by_priority`, `tasks_open_by_time` or `tasks_closed`.
 *
 * @throws {WorkCenterError} work_center.cursor_invalid for a malformed cursor, or a cursor of another user, order or set of
 *   filters
 */
export async function listTeamTasks(
  db: Db,
  administratorRoleCodes: readonly string[],
  { viewer, query }: { readonly viewer: Viewer; readonly query: ListTeamTasks },
): Promise<TeamTaskPage> {
  const { filters, sort, limit, cursor } = query
  const order: Order = isClosed(filters.status) ? 'closed' : sort
  const list = JSON.stringify(['work-center/team', viewer.userId, order, ...Object.values(filters)])
  const after = cursor === null ? null : readPosition(list, cursor, positionOf(order))
  const kept = sql`${canViewTask(viewer)} ${keptBy(filters, administratorRoleCodes)}`
  const { key, inner, outer } = orders[order]
  const parts = rangesAfter(order, after).map(
    (range) => sql`(
        select t.*, ${key} as order_key
        from work_center.tasks t
        where ${order === 'closed' ? sql`t.closed_at is not null` : sql`t.closed_at is null`} ${range} and ${kept}
        order by ${inner}
        limit ${limit + 1}
      )`,
  )
  const rows = await db.execute<Row>(sql`
    ${selectTeamTask(viewer, sql`(${sql.join(parts, sql` union all `)})`)}
    order by ${outer}
    limit ${limit + 1}`)
  const { items, last } = takePage(rows, limit)
  return {
    items: items.map(toTeamTask),
    nextCursor:
      last === null ? null : writeCursor(list, [String(last.order_key), last.sort_at, last.item_id]),
    limit,
  }
}

/** Returns a task as the supervisor sees it, or `undefined` if they may not view its source. */
export async function findTeamTask(db: Db, viewer: Viewer, id: string): Promise<TeamTask | undefined> {
  const [row] = await selectByIds(db, viewer, [id])
  return row === undefined ? undefined : toTeamTask(row)
}

/** Returns tasks as items of the supervisor, who may not receive them. Leaves out tasks with a source that they may not view. */
export const findTeamItems = async (
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<readonly Item[]> => (ids.length === 0 ? [] : (await selectByIds(db, viewer, ids)).map(toItem))

const selectByIds = (db: Db, viewer: Viewer, ids: readonly string[]): Promise<readonly Row[]> =>
  db.execute<Row>(
    selectTeamTask(
      viewer,
      sql`(
        select t.*, '' as order_key from work_center.tasks t
        where t.id = any(${sql.param(ids)}::uuid[]) and ${canViewTask(viewer)}
      )`,
    ),
  )

/** Selects rows from a relation with the columns of tasks, and the supervisor's own state of reading and snoozing. */
const selectTeamTask = (viewer: Viewer, tasks: SQL): SQL => sql`
    select ${itemColumns}, e.order_key, coalesce(t.claimed_by_user_id, t.assigned_user_id) as holder_id,
      (
        select u.display_name
        from core_audit.user_names u
        where u.id = coalesce(t.claimed_by_user_id, t.assigned_user_id)
      ) as holder_name,
      coalesce(t.claimed_at, t.sort_at) as since,
      (select r.code from core_audit.role_names r where r.id = t.assigned_role_id) as role_code,
      (select r.name from core_audit.role_names r where r.id = t.assigned_role_id) as role_name,
      (select count(*)::int from work_center.entries r where r.item_id = e.item_id) as recipient_count
    ${withItems(sql`(
      select t.id as item_id, 'Task' as kind, t.resource_code, t.priority, null as severity, t.sort_at, t.due_at,
        t.closed_at is null as is_open, own.read_at, own.snoozed_until, t.order_key
      from ${tasks} t
      left join work_center.entries own on own.user_id = ${viewer.userId}::uuid and own.item_id = t.id
    )`)}`

/**
 * The condition that the supervisor may view the source of task `t`. PostgreSQL has no statistics about this text, and would
 * assume that few tasks match and sort all of them; for `coalesce` it assumes half of them, and reads the order of an index.
 */
export const canViewTask = ({ viewPermissions }: Viewer): SQL =>
  viewPermissions === null
    ? sql`true`
    : sql`coalesce(
        t.resource_kind || '.' || t.resource_code || '.view' = any(${sql.param(viewPermissions)}::text[]), false
      )`

/** Returns the conditions of the filters. Each of them begins with `and`. */
function keptBy(
  { status, claimedBy, role, overdue, invisible }: TeamFilters,
  administratorRoleCodes: readonly string[],
): SQL {
  return sql`
      ${status === null ? sql`` : sql`and t.status = ${status}`}
      ${status === 'InProgress' ? sql`and ${isClaimed}` : sql``}
      ${
        claimedBy === null
          ? sql``
          : sql`and (t.claimed_by_user_id = ${claimedBy}::uuid or t.assigned_user_id = ${claimedBy}::uuid)`
      }
      ${
        role === null
          ? sql``
          : sql`and t.assigned_role_id = (select r.id from core_audit.role_names r where r.code = ${role})`
      }
      ${overdue === null ? sql`` : overdue ? sql`and ${isOverdue}` : sql`and not ${isOverdue}`}
      ${invisible === null ? sql`` : sql`and (${isInvisible(administratorRoleCodes)}) = ${invisible}::boolean`}`
}

/** True for every task in progress: PostgreSQL can then read the index `tasks_claimed`. */
const isClaimed = sql`t.claimed_by_user_id is not null`

const due = sql`coalesce(t.due_at, 'infinity'::timestamptz)`
/** The condition has the expression of the index `tasks_open_by_due`, so a scan ends at the first task that is not overdue. */
const isOverdue = sql`(t.closed_at is null and ${due} < statement_timestamp())`
const rank = sql`array_position(array['Low', 'Normal', 'High', 'Critical'], t.priority)`
const newestFirst = sql`t.sort_at desc, t.id desc`
const ties = sql`e.sort_at desc, e.item_id desc`

/** For each order: its key in tasks `t`, and the order of tasks `t` and of the selected rows `e`. */
const orders: Readonly<Record<Order, { readonly key: SQL; readonly inner: SQL; readonly outer: SQL }>> = {
  due: { key: due, inner: sql`${due}, ${newestFirst}`, outer: sql`e.order_key, ${ties}` },
  priority: { key: rank, inner: sql`${rank} desc, ${newestFirst}`, outer: sql`e.order_key desc, ${ties}` },
  newest: { key: sql`0`, inner: newestFirst, outer: ties },
  oldest: { key: sql`0`, inner: sql`t.sort_at, t.id`, outer: sql`e.sort_at, e.item_id` },
  closed: {
    key: sql`t.closed_at`,
    inner: sql`t.closed_at desc, t.id desc`,
    outer: sql`e.order_key desc, e.item_id desc`,
  },
}

const Time = v.pipe(v.string(), v.check(isStoredInstant))

/** The keys of each order in a cursor. */
const keys = {
  due: v.union([Time, v.literal('infinity')]),
  priority: v.picklist(['1', '2', '3', '4']),
  newest: v.literal('0'),
  oldest: v.literal('0'),
  closed: Time,
} satisfies Record<Order, v.GenericSchema<string>>

/** The key, the sort time and the id of the last task of a page. */
type Position = readonly [key: string, sortAt: string, id: string]

/**
 * Returns the conditions of the index ranges after a position, in their order. Each begins with `and`. Due dates ascend and
 * sort times descend, so the order by due date has two ranges: the rest of the tasks with the same due date, and all later
 * ones.
 */
function rangesAfter(order: Order, after: Position | null): readonly SQL[] {
  if (after === null) return [sql``]
  const [key, sortAt, id] = after
  const later = sql`(t.sort_at, t.id) < (${sortAt}::timestamptz, ${id}::uuid)`
  switch (order) {
    case 'due':
      return [sql`and ${due} = ${key}::timestamptz and ${later}`, sql`and ${due} > ${key}::timestamptz`]
    case 'priority':
      return [sql`and (${rank}, t.sort_at, t.id) < (${key}::int, ${sortAt}::timestamptz, ${id}::uuid)`]
    case 'newest':
      return [sql`and ${later}`]
    case 'oldest':
      return [sql`and (t.sort_at, t.id) > (${sortAt}::timestamptz, ${id}::uuid)`]
    case 'closed':
      return [sql`and (t.closed_at, t.id) < (${key}::timestamptz, ${id}::uuid)`]
  }
}

const positionOf = (order: Order) => v.tuple([keys[order], Time, v.pipe(v.string(), v.check(isUuid))])

const toTeamTask = (row: Row): TeamTask => ({
  ...toItem(row),
  claimedBy:
    row.holder_id === null
      ? null
      : { userId: row.holder_id, displayName: row.holder_name ?? '', sinceUtc: toInstant(row.since) },
  assignedRole: row.role_code === null ? null : { code: row.role_code, name: row.role_name ?? '' },
  recipientCount: row.recipient_count,
})
