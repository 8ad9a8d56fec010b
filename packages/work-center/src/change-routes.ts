import { isKitError } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv, problemDetails } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import {
  type ChangeConfig,
  type ChangedItems,
  type ItemChange,
  type ItemResult,
  notFound,
  type VersionedName,
} from './commands/change-items.ts'
import { claimTasks } from './commands/claim-tasks.ts'
import { dismissNotifications, restoreNotifications } from './commands/dismiss-notifications.ts'
import { readAllItems } from './commands/read-all-items.ts'
import { readItems, unreadItems } from './commands/read-items.ts'
import { releaseTasks } from './commands/release-tasks.ts'
import { snoozeTasks } from './commands/snooze-tasks.ts'
import {
  BatchBody,
  BatchResults,
  type BatchVerb,
  Item,
  type ItemKind,
  ReadAllBody,
  ReadAllResult,
  SnoozeTaskBody,
  TaskVersionBody,
} from './contract.ts'
import { WorkCenterError } from './errors.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { toFilters } from './queries/entry-filters.ts'
import { emptyReadThrough, listName } from './queries/list-items.ts'
import { readSnapshot } from './queries/read-through.ts'
import { type Viewer, viewerOf } from './queries/viewer.ts'

export interface ChangeRoutesOptions extends ChangeConfig {
  readonly database: Database
  readonly announce: AnnounceChanges
}

type Change = ItemChange<VersionedName>

/** The command of each verb. The end of a snooze is `null` for all verbs except `snooze`. */
const commands: Readonly<
  Record<
    BatchVerb,
    (tx: Tx, config: ChangeConfig, change: Change, until: string | null) => Promise<ChangedItems>
  >
> = {
  read: readItems,
  unread: unreadItems,
  dismiss: dismissNotifications,
  restore: restoreNotifications,
  claim: claimTasks,
  release: releaseTasks,
  snooze: (tx, config, change, snoozedUntilUtc) => snoozeTasks(tx, config, { ...change, snoozedUntilUtc }),
}

const tag = 'Work Center'

/** Responds with 404 to a malformed id before the body is read. */
const requireItemId: Guard = (c) => {
  if (!isUuid(c.req.param('id') ?? '')) throw notFound()
}

const seenAfter = { description: 'The item as the caller sees it after the change', schema: Item }

/** The properties that all routes that change one item share. */
const ofItem = {
  tag,
  guards: [requireItemId],
  responses: { 200: seenAfter },
  errors: ['work_center.item_not_found'],
} as const

/** The properties of the routes that compare the version of a task. */
const ofClaim = {
  ...ofItem,
  body: TaskVersionBody,
  errors: [...ofItem.errors, 'work_center.task_claim_conflict'],
} as const

/** Creates the routes that change the caller's items. They require no permission. */
export function changeRoutes(options: ChangeRoutesOptions): Hono<KitEnv> {
  const { database, announce } = options

  /** Runs a verb on items of the caller, and announces the changes after the commit. */
  const change = async (
    c: Context<KitEnv>,
    verb: BatchVerb,
    items: readonly VersionedName[],
    until: string | null,
  ): Promise<readonly ItemResult[]> => {
    const viewer = viewerOf(c.get('caller'))
    // A caller without a user record has no items. Check this first, because `actor` would create a user record.
    if (viewer === null) return items.map(() => notFound())
    const own = { items, viewer, actor: await c.get('actor')(), viewerNow: (tx: Tx) => currentViewer(c, tx) }
    const { results, versions } = await database.transaction((tx) => commands[verb](tx, options, own, until))
    if (versions.size > 0) announce(versions)
    return results
  }

  /** Handles a request that changes one item: the batch of one. */
  const changeOne = async (
    c: Context<KitEnv>,
    verb: BatchVerb,
    kind: ItemKind,
    {
      expectedVersion = 0,
      snoozedUntilUtc = null,
    }: { expectedVersion?: number; snoozedUntilUtc?: string | null } = {},
  ): Promise<Response> => {
    const id = (c.req.param('id') ?? '').toLowerCase()
    const [result = null] = await change(c, verb, [{ kind, id, expectedVersion }], snoozedUntilUtc)
    if (isKitError(result)) throw result
    return result === null ? c.body(null, 204) : c.json(result)
  }

  return new Hono<KitEnv>()
    .post(
      '/api/work-center/notifications/:id/read',
      api({
        ...ofItem,
        operationId: 'readNotification',
        summary: 'Marks a notification as read. Idempotent.',
      }),
      (c) => changeOne(c, 'read', 'Notification'),
    )
    .post(
      '/api/work-center/notifications/:id/unread',
      api({
        ...ofItem,
        operationId: 'unreadNotification',
        summary: 'Marks a notification as unread. Idempotent.',
      }),
      (c) => changeOne(c, 'unread', 'Notification'),
    )
    .post(
      '/api/work-center/notifications/:id/dismiss',
      api({
        ...ofItem,
        operationId: 'dismissNotification',
        summary: 'Removes a notification from the caller’s lists. Idempotent.',
      }),
      (c) => changeOne(c, 'dismiss', 'Notification'),
    )
    .post(
      '/api/work-center/notifications/:id/restore',
      api({
        ...ofItem,
        operationId: 'restoreNotification',
        summary: 'Returns a dismissed notification to the caller’s lists. Idempotent.',
      }),
      (c) => changeOne(c, 'restore', 'Notification'),
    )
    .post(
      '/api/work-center/tasks/:id/read',
      api({ ...ofItem, operationId: 'readTask', summary: 'Marks a task as read. Idempotent.' }),
      (c) => changeOne(c, 'read', 'Task'),
    )
    .post(
      '/api/work-center/tasks/:id/unread',
      api({ ...ofItem, operationId: 'unreadTask', summary: 'Marks a task as unread. Idempotent.' }),
      (c) => changeOne(c, 'unread', 'Task'),
    )
    .post(
      '/api/work-center/tasks/:id/claim',
      api({
        ...ofClaim,
        operationId: 'claimTask',
        summary: 'Claims a role’s task for the caller, at the version that they saw. Idempotent.',
      }),
      (c) => changeOne(c, 'claim', 'Task', c.req.valid('json')),
    )
    .post(
      '/api/work-center/tasks/:id/release',
      api({
        ...ofClaim,
        operationId: 'releaseTask',
        summary: 'Gives a claimed task back to its role, at the version that the caller saw.',
        description:
          'For the claimer, and for holders of `system.work_center.supervise` who may view the source.',
        responses: { 200: seenAfter, 204: { description: 'Released; the caller no longer sees the task' } },
        errors: [...ofClaim.errors, 'work_center.not_claimed'],
      }),
      (c) => changeOne(c, 'release', 'Task', c.req.valid('json')),
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
      (c) => changeOne(c, 'snooze', 'Task', c.req.valid('json')),
    )
    .post(
      '/api/work-center/batch',
      api({
        operationId: 'changeItems',
        tag,
        summary: 'Changes up to 100 items. Each succeeds or fails on its own.',
        description:
          'The results have the order of the request, and the status that a request for the single item would have. ' +
          '`claim` and `release` compare `expectedVersion`. `snooze` needs `snoozedUntilUtc`.',
        body: BatchBody,
        responses: { 200: { description: 'One result for each item', schema: BatchResults } },
      }),
      async (c) => {
        const body = c.req.valid('json')
        const items = body.items.map(({ kind, id, expectedVersion }) => ({
          kind,
          id: id.toLowerCase(),
          // Other verbs than `claim` and `release` accept any value and ignore it.
          expectedVersion: typeof expectedVersion === 'number' ? expectedVersion : 0,
        }))
        const known = items.filter(({ id }) => isUuid(id))
        const until = body.verb === 'snooze' ? body.snoozedUntilUtc : null
        const results = known.length === 0 ? [] : [...(await change(c, body.verb, known, until))]
        return c.json({
          results: body.items.map(({ id }) => {
            const result = isUuid(id) ? (results.shift() ?? null) : notFound()
            if (isKitError(result)) {
              return { id, status: result.status, problem: problemDetails(result, c.get('requestId')) }
            }
            return { id, status: result === null ? 204 : 200, item: result }
          }),
        })
      },
    )
    .post(
      '/api/work-center/read-all',
      api({
        operationId: 'readAllItems',
        tag,
        summary:
          'Marks the unread items of a list as read, up to the moment of a page that the caller has seen.',
        description:
          '`through` is the `readThrough` of a page with the same tab and filters. Items that arrived later stay unread.',
        body: ReadAllBody,
        responses: { 200: { description: 'The number of items that changed', schema: ReadAllResult } },
        errors: ['work_center.cursor_invalid'],
      }),
      async (c) => {
        const { tab, filters: sent, through } = c.req.valid('json')
        const filters = toFilters(sent)
        if (through === emptyReadThrough({ tab, filters })) return c.json({ changedCount: 0 })
        const viewer = viewerOf(c.get('caller'))
        if (viewer === null) throw new WorkCenterError('work_center.cursor_invalid')
        // Stores a changed profile, like every other change.
        await c.get('actor')()
        const snapshot = readSnapshot(listName(viewer.userId, { tab, filters }), through)
        const input = { viewer, tab, filters, snapshot, viewerNow: (tx: Tx) => currentViewer(c, tx) }
        const { changedCount, versions } = await database.transaction((tx) =>
          readAllItems(tx, options, input),
        )
        if (versions.size > 0) announce(versions)
        return c.json({ changedCount })
      },
    )
}

/**
 * Returns the caller as a viewer with their current rights.
 * @throws {CoreError} auth.inactive
 * @throws {WorkCenterError} work_center.item_not_found if the caller's user record no longer exists
 */
async function currentViewer(c: Context<KitEnv>, tx: Tx): Promise<Viewer> {
  const viewer = viewerOf(await c.get('callerNow')(tx))
  if (viewer === null) throw notFound()
  return viewer
}
