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
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
}

const tag = 'Work Center'

/** Responds with 404 to a malformed id before the body is read. */
const requireItemId: Guard = (c) => void itemId(c)

/** The properties that all routes that change one item share. */
const ofItem = {
  tag,
  guards: [requireItemId],
  responses: { 200: { description: 'The item as the caller sees it after the change', schema: Item } },
  errors: ['work_center.item_not_found'],
} as const

/** Creates the routes for the Work Center and for notification preferences. The routes require no permission. */
export function workCenterRoutes(options: WorkCenterRoutesOptions): Hono<KitEnv> {
  const { database, definitions, administratorRoleCodes, announce } = options

  /** Applies a change that the caller makes to an item, and announces the change after the commit. */
  const changing = async (
    c: Context<KitEnv>,
    change: (tx: Tx, own: OwnChange) => Promise<ChangedItem>,
  ): Promise<Response> => {
    const id = itemId(c)
    // A caller without a user record has no items. Check this first, because `actor` would create a user record.
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
        summary: 'Lists the items of one tab, newest first.',
        description:
          'Filters combine. `overdue` and `unread` select matching items when `true`, and all others when `false`. A ' +
          'cursor continues only the list that returned it: the same user, tab and filters.',
        query: ListItemsQuery,
        responses: { 200: { description: 'One page and the applied limit', schema: ItemPage } },
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
        summary: 'Marks a notification as read. Idempotent.',
      }),
      (c) => changing(c, (tx, own) => readItem(tx, administratorRoleCodes, { ...own, kind: 'Notification' })),
    )
    .post(
      '/api/work-center/notifications/:id/dismiss',
      api({
        ...ofItem,
        operationId: 'dismissNotification',
        summary: 'Removes a notification from the caller’s lists. Idempotent.',
      }),
      (c) => changing(c, (tx, own) => dismissNotification(tx, administratorRoleCodes, own)),
    )
    .post(
      '/api/work-center/tasks/:id/read',
      api({
        ...ofItem,
        operationId: 'readTask',
        summary: 'Marks a task as read. Idempotent.',
      }),
      (c) => changing(c, (tx, own) => readItem(tx, administratorRoleCodes, { ...own, kind: 'Task' })),
    )
    .post(
      '/api/work-center/tasks/:id/claim',
      api({
        ...ofItem,
        operationId: 'claimTask',
        summary: 'Claims a role’s task for the caller, at the version that they saw. Idempotent.',
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
        summary:
          'Hides an open task from the caller’s attention list until a given time; `null` shows it now.',
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
        // Check this before the call of `actor`, which can create a user record for the caller.
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
 * Returns the caller as a viewer with their current rights.
 * @throws {CoreError} auth.inactive
 * @throws {WorkCenterError} work_center.item_not_found if the caller's user record no longer exists
 */
async function currentViewer(c: Context<KitEnv>, tx: Tx): Promise<Viewer> {
  const viewer = viewerOf(await c.get('callerNow')(tx))
  if (viewer === null) throw new WorkCenterError('work_center.item_not_found')
  return viewer
}
