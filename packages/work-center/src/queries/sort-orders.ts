import { isStoredInstant, type SQL, sql } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import type { Sort, Tab } from '../contract.ts'
import { tabConditions } from './viewer.ts'

/** The rank by which entries `e` are sorted first, from the highest to the lowest. */
interface Rank {
  readonly value: SQL
  /** Its type in PostgreSQL. */
  readonly type: SQL
  /** Its texts in cursors. A client can forge them, so no other text may reach PostgreSQL. */
  readonly text: RegExp
}

/** The indexes `entries_by_due_date` and `entries_by_priority` contain exactly these expressions. */
const ranks: Readonly<Record<Exclude<Sort, 'newest'>, Rank>> = {
  due: {
    value: sql`coalesce(-extract(epoch from e.due_at at time zone 'UTC'), '-Infinity')`,
    type: sql`numeric`,
    text: /^(-?\d{1,12}(\.\d{1,6})?|-Infinity)$/,
  },
  priority: {
    value: sql`
      case e.priority when 'Critical' then 4 when 'High' then 3 when 'Normal' then 2 when 'Low' then 1 else 0 end`,
    type: sql`int`,
    text: /^[0-4]$/,
  },
}

/** In an order by rank, the index contains the kind, so the comparison needs no detour. */
const rankedTabConditions: Readonly<Record<Tab, SQL>> = {
  ...tabConditions,
  tasks: sql`e.is_open and e.kind = 'Task'`,
}

/** The sort time in the format of PostgreSQL, with microseconds, and the id. */
const newest = [v.pipe(v.string(), v.check(isStoredInstant)), v.pipe(v.string(), v.check(isUuid))] as const

/** The columns of a row that determine its position. */
export type RankedRow = {
  readonly rank: string | number | null
  readonly sort_at: string
  readonly item_id: string
}

/** The parts of a statement that lists a tab in an order. */
export interface Listing {
  readonly condition: SQL
  /** The first column of the order, which descends. Null in an order without one. */
  readonly rank: SQL
  readonly orderBy: SQL
  /** The positions that cursors contain. */
  readonly Position: v.GenericSchema<unknown, readonly string[]>
  /** Returns the position of a row in the list. */
  positionOf(row: RankedRow): readonly string[]
  /** Returns the condition that an entry comes after a position. */
  after(position: readonly string[]): SQL
}

/**
 * Returns the parts of the statement for a tab. Notifications have neither a due date nor a priority, so each order of their
 * tab is from newest to oldest.
 */
export function listingOf(tab: Tab, sort: Sort): Listing {
  if (sort === 'newest' || tab === 'notifications') {
    return {
      condition: tabConditions[tab],
      rank: sql`null::int`,
      orderBy: sql`e.sort_at desc, e.item_id desc`,
      Position: v.tuple([...newest]),
      positionOf: (row) => [row.sort_at, row.item_id],
      after: ([sortAt, itemId]) => sql`(e.sort_at, e.item_id) < (${sortAt}::timestamptz, ${itemId}::uuid)`,
    }
  }
  const { value, type, text } = ranks[sort]
  return {
    condition: rankedTabConditions[tab],
    rank: value,
    orderBy: sql`${value} desc, e.sort_at desc, e.item_id desc`,
    Position: v.tuple([v.pipe(v.string(), v.regex(text)), ...newest]),
    positionOf: (row) => [String(row.rank), row.sort_at, row.item_id],
    after: ([rank, sortAt, itemId]) => sql`
      (${value}, e.sort_at, e.item_id) < (${rank}::${type}, ${sortAt}::timestamptz, ${itemId}::uuid)`,
  }
}
