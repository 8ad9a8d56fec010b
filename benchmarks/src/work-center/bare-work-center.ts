import { Hono } from 'hono'
import type postgres from 'postgres'
import {
  loadViewerRole,
  type MeasuredSort,
  type MeasuredTab,
  pageLimit,
  selectPage,
  selectSummary,
} from './statements.ts'

/** The header with the user id of the caller. The bare server does not check it. */
export const userHeader = 'x-user-id'

/** Serves the lists and counts of the Work Center on the bare server. All callers have the role `trade.viewer`. */
export function bareWorkCenter(sql: postgres.Sql): Hono {
  const role = loadViewerRole(sql)
  return new Hono()
    .get('/items', async (c) => {
      const viewer = { userId: c.req.header(userHeader) ?? '', ...(await role) }
      const tab = c.req.query('tab') as MeasuredTab
      const sort = (c.req.query('sort') ?? 'newest') as MeasuredSort
      const items = await selectPage(sql, viewer, { tab, sort })
      return c.json({ items: items.slice(0, pageLimit), nextCursor: null, limit: pageLimit })
    })
    .get('/summary', async (c) => {
      const [counts] = await selectSummary(sql, { userId: c.req.header(userHeader) ?? '', ...(await role) })
      return c.json(counts)
    })
}
