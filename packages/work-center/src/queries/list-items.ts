import { sql } from '@vertical-kit/core-audit'
import { type Db, planOnce } from '@vertical-kit/core-audit/database'
import { takePage, writeCursor } from '@vertical-kit/core-audit/http'
import type { ItemPage, Sort, Tab } from '../contract.ts'
import { WorkCenterError } from '../errors.ts'
import { type ItemFilters, keptBy } from './entry-filters.ts'
import { type ItemRow, toItem } from './item-row.ts'
import { currentSnapshot, emptySnapshot, readPosition } from './read-through.ts'
import { type OwnRow, ownItems, selectOwnItems, selectSeenItems } from './represented.ts'
import { listingOf, type RankedRow } from './sort-orders.ts'
import type { Viewer } from './viewer.ts'

/** Selects the items of a tab that match all filters. */
export interface ItemList {
  readonly tab: Tab
  readonly filters: ItemFilters
}

export interface ListItems extends ItemList {
  readonly sort: Sort
  /** The page size, 1–100. */
  readonly limit: number
  readonly cursor: string | null
}

type Row = ItemRow & RankedRow & { readonly snapshot: string }

/**
 * Returns one page of a tab. One statement, or a second one for a substitute, scans a range of one index that starts at the
 * cursor: from newest to oldest, that of the tab (`entries_attention`, `entries_open_by_kind` or `entries_completed`),
 * otherwise that of the order (`entries_by_due_date` or `entries_by_priority`). The cost of the statement therefore does not
 * depend on the number of other items. Filters discard entries of the range.
 *
 * @throws {WorkCenterError} work_center.cursor_invalid for a malformed cursor, or a cursor of another user, tab, order or set of
 *   filters
 */
export async function listItems(db: Db, viewer: Viewer, query: ListItems): Promise<ItemPage> {
  const { tab, sort, filters, limit, cursor } = query
  const { condition, rank, orderBy, Position, after, positionOf } = listingOf(tab, sort)
  const inOrder = `${listName(viewer.userId, query)} ${sort}`
  const start = cursor === null ? sql`` : sql`and ${after(readPosition(inOrder, cursor, Position))}`
  const selection = {
    where: sql`${condition} ${keptBy(filters)} ${start}`,
    columns: sql`, ${rank} as rank, ${currentSnapshot} as snapshot`,
    range: sql`order by ${orderBy} limit ${limit + 1}::int`,
  }
  const own = await db.execute<OwnRow<Row>>(planOnce(selectOwnItems(viewer, selection)))
  const rows = own[0]?.is_substitute
    ? await db.execute<Row>(sql`
        ${selectSeenItems(viewer, selection)}
        order by i.rank desc, i.sort_at desc, i.item_id desc
        limit ${limit + 1}`)
    : ownItems(own)
  const { items, last } = takePage(rows, limit)
  return {
    items: items.map(toItem),
    nextCursor: last === null ? null : writeCursor(inOrder, positionOf(last)),
    limit,
    readThrough: writeCursor(listName(viewer.userId, query), [rows[0]?.snapshot ?? emptySnapshot]),
  }
}

/** Returns the empty page of a caller without a user record. Rejects every cursor, because this page never returns one. */
export function emptyPage(query: ListItems): ItemPage {
  const { limit, cursor } = query
  if (cursor !== null) throw new WorkCenterError('work_center.cursor_invalid')
  return { items: [], nextCursor: null, limit, readThrough: emptyReadThrough(query) }
}

/** Returns the `readThrough` of {@link emptyPage}. It remains valid when the caller has a user record: nothing was seen. */
export const emptyReadThrough = (list: ItemList): string => writeCursor(listName('', list), [emptySnapshot])

/**
 * Returns the name of the list to which a cursor belongs. JSON ensures that different lists have different names.
 */
export const listName = (userId: string, { tab, filters }: ItemList): string =>
  JSON.stringify(['work-center', userId, tab, filters])
