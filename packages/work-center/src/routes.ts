import { changeAs } from '@vertical-kit/core-audit/access'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { type ChangeRoutesOptions, changeRoutes } from './change-routes.ts'
import { requireSettable, setPreferences } from './commands/set-preferences.ts'
import {
  ItemPage,
  ListItemsQuery,
  Preferences,
  SetPreferencesBody,
  Summary,
  SummaryQuery,
} from './contract.ts'
import { toFilters } from './queries/entry-filters.ts'
import { emptyPage, listItems } from './queries/list-items.ts'
import { listPreferences } from './queries/list-preferences.ts'
import { emptySummary, loadSummary } from './queries/load-summary.ts'
import { viewerOf } from './queries/viewer.ts'

const tag = 'Work Center'

/** Creates the routes for the Work Center and for notification preferences. The routes require no permission. */
export function workCenterRoutes(options: ChangeRoutesOptions): Hono<KitEnv> {
  const { database, definitions } = options
  return new Hono<KitEnv>()
    .route('/', changeRoutes(options))
    .get(
      '/api/work-center/summary',
      api({
        operationId: 'getWorkCenterSummary',
        tag,
        summary: 'Returns the item counts of the tabs, and their version.',
        query: SummaryQuery,
        responses: { 200: { description: 'The counts', schema: Summary } },
      }),
      async (c) => {
        const { vertical = null } = c.req.valid('query')
        const viewer = viewerOf(c.get('caller'))
        if (viewer === null) return c.json(emptySummary)
        return c.json(await database.read((db) => loadSummary(db, viewer, { vertical })))
      },
    )
    .get(
      '/api/work-center/items',
      api({
        operationId: 'listWorkCenterItems',
        tag,
        summary: 'Lists the items of one tab.',
        description:
          'Filters combine. `overdue` and `unread` select matching items when `true`, and all others when `false`. `q` ' +
          'searches titles and sources. A cursor continues only the list that returned it: the same user, tab, order ' +
          'and filters.',
        query: ListItemsQuery,
        responses: { 200: { description: 'One page and the applied limit', schema: ItemPage } },
        errors: ['work_center.cursor_invalid'],
      }),
      async (c) => {
        const { tab, sort, limit, cursor = null, ...filters } = c.req.valid('query')
        const query = { tab, sort, limit, cursor, filters: toFilters(filters) }
        const viewer = viewerOf(c.get('caller'))
        if (viewer === null) return c.json(emptyPage(query))
        return c.json(await database.read((db) => listItems(db, viewer, query)))
      },
    )
    .get(
      '/api/me/notification-preferences',
      api({
        operationId: 'listNotificationPreferences',
        tag,
        summary: 'Lists the notification preferences for the caller’s roles.',
        responses: { 200: { description: 'All preferences of the caller', schema: Preferences } },
      }),
      async (c) => c.json(await database.read((db) => listPreferences(db, definitions, c.get('caller')))),
    )
    .put(
      '/api/me/notification-preferences',
      api({
        operationId: 'setNotificationPreferences',
        tag,
        summary:
          'Switches kinds of tasks and notifications on or off for the caller. Applies all changes or none.',
        body: SetPreferencesBody,
        responses: { 200: { description: 'All preferences of the caller', schema: Preferences } },
        errors: [
          'work_center.preference_unknown',
          'work_center.preference_not_applicable',
          'work_center.preference_mandatory',
        ],
      }),
      async (c) => {
        const { preferences: changes } = c.req.valid('json')
        requireSettable(definitions, c.get('caller'), changes)
        return c.json(
          await changeAs(database, c.var, (tx, { userId }) =>
            setPreferences(tx, definitions, { userId, changes, callerNow: c.get('callerNow') }),
          ),
        )
      },
    )
}
