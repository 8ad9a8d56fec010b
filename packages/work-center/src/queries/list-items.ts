import { isKitError, isStoredInstant } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { readCursor, takePage, writeCursor } from '@vertical-kit/core-audit/http'
import { type SQL, sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import type { ItemPage, Tab } from '../contract.ts'
import { WorkCenterError } from '../errors.ts'
import { type ItemFilters, keptBy } from './entry-filters.ts'
import { type ItemRow, selectItem, toItem } from './item-row.ts'
import { isSeenBy, tabConditions, type Viewer } from './viewer.ts'

export interface ListItems {
  readonly tab: Tab
  readonly filters: ItemFilters
  /** The page size, 1–100. */
  readonly limit: number
  readonly cursor: string | null
}

/** The sort time and the id of the last item on a page. The time has the format of PostgreSQL, with microseconds. */
const Position = v.tuple([v.pipe(v.string(), v.check(isStoredInstant)), v.pipe(v.string(), v.check(isUuid))])

/**
 * Returns one page of a tab, sorted from newest to oldest. One statement scans a range of the tab's index
 * (`entries_attention`, `entries_open_by_kind` or `entries_completed`) that starts at the cursor. The cost of the statement
 * therefore does not depend on the number of other items.
 *
 * @throws {WorkCenterError} work_center.cursor_invalid for a malformed cursor, or a cursor of another user, tab or set of
 *   filters
 */
export async function listItems(db: Db, viewer: Viewer, query: ListItems): Promise<ItemPage> {
  const { tab, filters, limit, cursor } = query
  const list = listName(viewer, query)
  const after = cursor === null ? sql`` : afterPosition(list, cursor)
  const rows = await db.execute<ItemRow>(sql`
    ${selectItem}
    where ${isSeenBy(viewer)}
      and ${tabConditions[tab]}
      ${keptBy(filters)}
      ${after}
    order by e.sort_at desc, e.item_id desc
    limit ${limit + 1}`)
  const { items, last } = takePage(rows, limit)
  return {
    items: items.map(toItem),
    nextCursor: last === null ? null : writeCursor(list, [last.sort_at, last.item_id]),
    limit,
  }
}

/** Returns the empty page of a caller without a user record. Rejects every cursor, because this page never returns one. */
export function emptyPage({ limit, cursor }: ListItems): ItemPage {
  if (cursor !== null) throw new WorkCenterError('work_center.cursor_invalid')
  return { items: [], nextCursor: null, limit }
}

/** Returns the name of the list to which a cursor belongs. JSON ensures that different lists have different names. */
function listName({ userId }: Viewer, { tab, filters }: ListItems): string {
  const { vertical, priority, severity, overdue, unread } = filters
  return JSON.stringify(['work-center', userId, tab, vertical, priority, severity, overdue, unread])
}

function afterPosition(list: string, cursor: string): SQL {
  const [sortAt, itemId] = readPosition(list, cursor)
  return sql`and (e.sort_at, e.item_id) < (${sortAt}::timestamptz, ${itemId}::uuid)`
}

function readPosition(list: string, cursor: string): v.InferOutput<typeof Position> {
  try {
    return readCursor(list, cursor, Position)
  } catch (cause) {
    if (!isKitError(cause)) throw cause
    throw new WorkCenterError('work_center.cursor_invalid', { cause })
  }
}
