import { type AuditSource, sql } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import { lastAccessChanges } from '@vertical-kit/core-audit/identity'
import type { RowOf, userNames } from '@vertical-kit/core-audit/schema'
import type { NotificationDefinition } from '../definitions/definition.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { type Follower, listFollowers, openWindows } from './followers.ts'
import { decideWindows, windowMs } from './notices.ts'
import type { WatchedEvent } from './watched-events.ts'
import type { WatchOptions } from './watched-objects.ts'

export interface NotifyFollowers extends Pick<WatchOptions, 'businessObjects' | 'modules' | 'describe'> {
  readonly definition: NotificationDefinition
  readonly events: readonly WatchedEvent[]
}

/**
 * Notifies followers of the events of others. A follower who may not read the object, or not see the event, is not notified,
 * also not later. The number of statements does not depend on the number of events and followers.
 */
export async function notifyFollowers(tx: Tx, inbox: Inbox, input: NotifyFollowers): Promise<void> {
  const { describe, definition, events } = input
  if (events.length === 0) return
  const followers = await listFollowers(tx, events)
  const maySee = await loadSight(tx, input, followers)
  const windows = decideWindows(events, followers, maySee)
  if (windows.length === 0) return
  const last = events.at(-1) as WatchedEvent
  await openWindows(tx, { windows, overBeforeMs: last.occurredAtMs - windowMs })
  const targets = new Map(windows.map(({ event }) => [event.target.id, event.target]))
  const [descriptions, names] = [
    await describe(tx, [...targets.values()]),
    await listNames(
      tx,
      windows.map(({ event }) => event.actorUserId),
    ),
  ]
  for (const { event, userIds } of windows) {
    const description = descriptions.get(event.target.id)
    if (description === undefined) continue
    const { source } = description
    const actor = names.get(event.actorUserId) ?? 'Someone'
    inbox.createNotification(definition, {
      ...description,
      deduplicationKey: event.id,
      title: `${actor} worked on ${source.title}`,
      titleText: { key: definition.code, parameters: { actor, title: source.title } },
      to: { userIds },
    })
  }
}

type MaySee = (follower: Follower, event: WatchedEvent) => boolean

/**
 * Reads the current rights of all followers: three statements, and those of the verticals. An event before the last change of
 * a follower's rights is not visible: nobody knows whether they could read the object then. The changes are read last, so none
 * of them can be missing from the rights.
 */
async function loadSight(
  tx: Tx,
  { businessObjects, modules, events }: NotifyFollowers,
  followers: readonly Follower[],
): Promise<MaySee> {
  const sources = new Map(
    modules.flatMap(({ auditSource }): [string, AuditSource][] =>
      auditSource === undefined ? [] : [[auditSource.module, auditSource]],
    ),
  )
  const targets = new Map(events.map((event) => [event.target.id, event.target]))
  const userIds = [...new Set(followers.map(({ userId }) => userId))]
  const callers = new Map(
    (await businessObjects.callersOf(tx, userIds)).map((caller): [string | null, Caller] => [
      caller.userId,
      caller,
    ]),
  )
  const pairs = new Map(
    followers.flatMap(({ userId, work }) => {
      const caller = callers.get(userId)
      const reference = targets.get(work.split('/')[2] ?? '')
      return caller === undefined || reference === undefined
        ? []
        : [[`${userId}/${reference.id}`, { caller, reference }] as const]
    }),
  )
  const answers = await businessObjects.areReadable(tx, [...pairs.values()])
  const afterId = events[0]?.id ?? ''
  const changes = await lastAccessChanges(tx, { userIds, afterId })
  const readable = new Set([...pairs.keys()].filter((_key, index) => answers[index]))
  return ({ userId }, { id, target, module }) => {
    const caller = callers.get(userId)
    const source = sources.get(module)
    return (
      caller !== undefined &&
      readable.has(`${userId}/${target.id}`) &&
      source?.isVisibleTo(caller) === true &&
      id > (changes.get(userId) ?? '')
    )
  }
}

/** Returns display names by user id. */
export async function listNames(tx: Tx, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.execute<RowOf<typeof userNames>>(sql`
    select id, display_name
    from core_audit.user_names
    where id = any(${sql.param([...new Set(userIds)])}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row.display_name]))
}
