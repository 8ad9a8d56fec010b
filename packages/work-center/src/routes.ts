import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import type { ChangedItem, OwnChange } from './commands/change-own-entry.ts'
import { claimTask } from './commands/claim-task.ts'
import { dismissNotification } from './commands/dismiss-notification.ts'
import { readItem } from './commands/read-item.ts'
import { requireSettable, setPreferences } from './commands/set-preferences.ts'
import { snoozeTask } from './commands/snooze-task.ts'
import {
  ClaimTaskBody,
  Item,
  ItemPage,
  ListItemsQuery,
  Preferences,
  SetPreferencesBody,
  SnoozeTaskBody,
  Summary,
  SummaryQuery,
} from './contract.ts'
import type { ItemDefinition } from './definitions/definition.ts'
import { WorkCenterError } from './errors.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { emptyPage, listItems } from './queries/list-items.ts'
import { listPreferences } from './queries/list-preferences.ts'
import { emptySummary, loadSummary } from './queries/load-summary.ts'
import { type Viewer, viewerOf } from './queries/viewer.ts'

export interface WorkCenterRoutesOptions {
  readonly database: Database
  readonly definitions: readonly ItemDefinition[]
  /** Codes of the roles that may view everything. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
}

const tag = 'Work Center'

/** What is no id is the id of no item: said before a body is read. */
const requireItemId: Guard = (c) => void itemId(c)

/** What all changes of one item have in common. */
const ofItem = {
  tag,
  guards: [requireItemId],
  responses: { 200: { description: 'The item, as the caller sees it now', schema: Item } },
  errors: ['work_center.item_not_found'],
} as const

/** `/api/work-center` and `/api/me/notification-preferences`. Everybody has both, so neither takes a permission. */
export function workCenterRoutes(options: WorkCenterRoutesOptions): Hono<KitEnv> {
  const { database, definitions, administratorRoleCodes, announce } = options

  /** Makes a change of the caller's own, and announces it once it has committed. */
  const changing = async (
    c: Context<KitEnv>,
    change: (tx: Tx, own: OwnChange) => Promise<ChangedItem>,
  ): Promise<Response> => {
    const id = itemId(c)
    // A caller without a record has no items. `actor` would create the record, although the request is refused.
    if (c.get('caller').userId === null) throw new WorkCenterError('work_center.item_not_found')
    const { userId } = await c.get('actor')()
    const viewerNow = (tx: Tx) => currentViewer(c, tx)
    const { item, versions } = await database.transaction((tx) => change(tx, { id, userId, viewerNow }))
    if (versions.size > 0) announce(versions)
    return c.json(item)
  }

  return new Hono<KitEnv>()
    .get(
      '/api/work-center/summary',
      api({
        operationId: 'getWorkCenterSummary',
        tag,
        summary: 'What the tabs list, counted, and the version they are counted at.',
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
        summary: 'The items of one tab, newest first.',
        description:
          'Filters combine. `overdue` and `unread` keep what is so when `true`, and what is not when `false`. A cursor ' +
          'goes on in the list it came from: the same user, tab and filters.',
        query: ListItemsQuery,
        responses: { 200: { description: 'One page, and the limit that was applied', schema: ItemPage } },
        errors: ['work_center.cursor_invalid'],
      }),
      async (c) => {
        const { tab, limit, cursor = null, ...filters } = c.req.valid('query')
        const { vertical = null, priority = null, severity = null, overdue = null, unread = null } = filters
        const query = { tab, limit, cursor, filters: { vertical, priority, severity, overdue, unread } }
        const viewer = viewerOf(c.get('caller'))
        if (viewer === null) return c.json(emptyPage(query))
        return c.json(await database.read((db) => listItems(db, viewer, query)))
      },
    )
    .post(
      '/api/work-center/notifications/:id/read',
      api({
        ...ofItem,
        operationId: 'readNotification',
        summary: 'Marks a notification as read. A repeat answers the same.',
      }),
      (c) => changing(c, (tx, own) => readItem(tx, administratorRoleCodes, { ...own, kind: 'Notification' })),
    )
    .post(
      '/api/work-center/notifications/:id/dismiss',
      api({
        ...ofItem,
        operationId: 'dismissNotification',
        summary: 'Takes a notification off the lists of the caller. A repeat answers the same.',
      }),
      (c) => changing(c, (tx, own) => dismissNotification(tx, administratorRoleCodes, own)),
    )
    .post(
      '/api/work-center/tasks/:id/read',
      api({
        ...ofItem,
        operationId: 'readTask',
        summary: 'Marks a task as read. A repeat answers the same.',
      }),
      (c) => changing(c, (tx, own) => readItem(tx, administratorRoleCodes, { ...own, kind: 'Task' })),
    )
    .post(
      '/api/work-center/tasks/:id/claim',
      api({
        ...ofItem,
        operationId: 'claimTask',
        summary:
          'Makes a task of a role the caller’s own, at the version they saw. A repeat answers the same.',
        body: ClaimTaskBody,
        errors: [...ofItem.errors, 'work_center.task_claim_conflict'],
      }),
      (c) => {
        const { expectedVersion } = c.req.valid('json')
        return changing(c, (tx, own) => claimTask(tx, administratorRoleCodes, { ...own, expectedVersion }))
      },
    )
    .post(
      '/api/work-center/tasks/:id/snooze',
      api({
        ...ofItem,
        operationId: 'snoozeTask',
        summary: 'Keeps an open task out of the caller’s attention until a moment; `null` shows it now.',
        body: SnoozeTaskBody,
      }),
      (c) => {
        const { snoozedUntilUtc } = c.req.valid('json')
        return changing(c, (tx, own) => snoozeTask(tx, administratorRoleCodes, { ...own, snoozedUntilUtc }))
      },
    )
    .get(
      '/api/me/notification-preferences',
      api({
        operationId: 'listNotificationPreferences',
        tag,
        summary: 'What the caller’s roles may receive, and whether they do.',
        responses: { 200: { description: 'Every preference', schema: Preferences } },
      }),
      async (c) => c.json(await database.read((db) => listPreferences(db, definitions, c.get('caller')))),
    )
    .put(
      '/api/me/notification-preferences',
      api({
        operationId: 'setNotificationPreferences',
        tag,
        summary:
          'Switches kinds of tasks and notifications on or off for the caller: all of the changes, or none.',
        body: SetPreferencesBody,
        responses: { 200: { description: 'Every preference', schema: Preferences } },
        errors: [
          'work_center.preference_unknown',
          'work_center.preference_not_applicable',
          'work_center.preference_mandatory',
        ],
      }),
      async (c) => {
        const { preferences: changes } = c.req.valid('json')
        // Before `actor`, which may create the caller's record.
        requireSettable(definitions, c.get('caller'), changes)
        const { userId } = await c.get('actor')()
        const input = { userId, changes, callerNow: c.get('callerNow') }
        return c.json(await database.transaction((tx) => setPreferences(tx, definitions, input)))
      },
    )
}

/** @throws {WorkCenterError} work_center.item_not_found */
function itemId(c: Context<KitEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new WorkCenterError('work_center.item_not_found')
  return id.toLowerCase()
}

/**
 * The caller as a viewer, with their rights as of now.
 * @throws {CoreError} auth.inactive
 * @throws {WorkCenterError} work_center.item_not_found for one whose user record is gone
 */
async function currentViewer(c: Context<KitEnv>, tx: Tx): Promise<Viewer> {
  const viewer = viewerOf(await c.get('callerNow')(tx))
  if (viewer === null) throw new WorkCenterError('work_center.item_not_found')
  return viewer
}
