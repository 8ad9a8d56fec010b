import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import { type ClosedStatus, closeTasks } from '../commands/close-tasks.ts'
import { type CreateNotification, createNotifications } from '../commands/create-notifications.ts'
import { type CreateTask, createTasks } from '../commands/create-tasks.ts'
import { findLostClaims, giveBackClaims } from '../commands/give-back-claims.ts'
import { findJoiners, joinTasks } from '../commands/join-tasks.ts'
import { byName, lockTasks, type TaskName } from '../commands/lock-tasks.ts'
import type { NotificationDefinition, TaskDefinition } from '../definitions/definition.ts'
import { listConcerned } from '../queries/list-concerned.ts'
import type { InboxOptions } from './inbox.ts'
import type { SeenChange } from './version-changes.ts'

/** A pending write to one task. */
type TaskWrite =
  | { readonly kind: 'create'; readonly definition: TaskDefinition; readonly task: CreateTask }
  | { readonly kind: 'close'; readonly name: TaskName; readonly status: ClosedStatus }

/** A pending notification. */
interface NotificationWrite {
  readonly definition: NotificationDefinition
  readonly notification: CreateNotification
}

/** A change of access, and the last of the users who have joined tasks because of it, in the order of their ids. */
export interface AccessChange {
  readonly data: AccessChangedData
  readonly joinedThrough: string | null
}

/** The pending writes of an inbox. */
export interface PendingWrites {
  readonly accessChanges: AccessChange[]
  readonly notifications: NotificationWrite[]
  readonly tasks: TaskWrite[]
}

/** The result of all writes. */
export interface Written {
  /** The changes that users see; a user can occur several times. */
  readonly changes: readonly SeenChange[]
  /** If further users can join tasks, in another transaction: the last of those who have. */
  readonly joinedThrough: string | null
}

/**
 * Sends all pending writes. To avoid deadlocks, every writer uses this order: first the claims lock, then the locks of all its
 * tasks, then all its writes in one round trip.
 */
export async function writeAll(
  tx: Tx,
  { config, definitions }: Pick<InboxOptions, 'config' | 'definitions'>,
  { accessChanges: changed, notifications, tasks: requested }: PendingWrites,
): Promise<Written> {
  const tasks = withoutRepeats(requested)
  const accessChanges = changed.map(({ data }) => data)
  const first = changed.filter(({ joinedThrough }) => joinedThrough === null).map(({ data }) => data)
  const [lost, joiners] = await Promise.all([
    findLostClaims(tx, accessChanges),
    findJoiners(tx, accessChanges, first.length > 0 ? null : leastOf(changed)),
  ])
  const [, ...changes] = await Promise.all([
    lockTasks(tx, [...lost, ...joiners.unseen, ...tasks.map(nameOf)].sort(byName)),
    giveBackClaims(tx, lost),
    listConcerned(tx, first),
    joinTasks(tx, { definitions, ...joiners, returned: lost }),
    ...writeNotifications(tx, config.notificationRetentionMs, notifications),
    ...writeTasks(tx, tasks),
  ])
  return { changes: changes.flat(), joinedThrough: joiners.last }
}

/** Returns the smallest id of a user after which the search for all changes begins. */
const leastOf = (changed: readonly AccessChange[]): string | null =>
  changed.map(({ joinedThrough }) => joinedThrough ?? '').toSorted()[0] ?? null

const nameOf = (write: TaskWrite): TaskName =>
  write.kind === 'close'
    ? write.name
    : { code: write.definition.code, deduplicationKey: write.task.deduplicationKey }

/**
 * Leaves out each write that is equal to the previous write to the same task, because it changes nothing. Event handlers often
 * sync a task twice, to the state after the event and to the current state.
 */
function withoutRepeats(writes: readonly TaskWrite[]): readonly TaskWrite[] {
  const latest = new Map<string, TaskWrite>()
  return writes.filter((write) => {
    const key = keyOf(nameOf(write))
    const isRepeat = isDeepStrictEqual(latest.get(key), write)
    latest.set(key, write)
    return !isRepeat
  })
}

const keyOf = ({ code, deduplicationKey }: TaskName): string => JSON.stringify([code, deduplicationKey])

/**
 * Sends writes to locked tasks in rounds. A round contains each task at most once, so the writes to one task keep their
 * order. In each round, one statement performs all similar writes. No statement waits for the result of an earlier one.
 */
function writeTasks(tx: Tx, writes: readonly TaskWrite[]): readonly Promise<readonly SeenChange[]>[] {
  return inRounds(writes, nameOf).flatMap((round) =>
    groupBy(round, (write) =>
      write.kind === 'close' ? write.status : `create ${write.definition.code}`,
    ).map((group) => {
      const [first] = group
      if (first.kind === 'close') return closeTasks(tx, first.status, group.map(nameOf))
      const tasks = group.flatMap((write) => (write.kind === 'create' ? [write.task] : []))
      return createTasks(tx, first.definition, tasks)
    }),
  )
}

/** Sends notifications. They are grouped into rounds and statements like the writes to tasks. */
function writeNotifications(
  tx: Tx,
  retentionMs: number,
  writes: readonly NotificationWrite[],
): readonly Promise<readonly SeenChange[]>[] {
  const name = ({ definition: { code }, notification: { deduplicationKey } }: NotificationWrite) => ({
    code,
    deduplicationKey,
  })
  return inRounds(writes, name).flatMap((round) =>
    groupBy(round, ({ definition }) => definition.code).map((group) => {
      const notifications = group.map(({ notification }) => notification)
      return createNotifications(tx, { definition: group[0].definition, retentionMs }, notifications)
    }),
  )
}

/**
 * Sorts writes by name and splits them into rounds. The first round contains the first write to each name, the second
 * round the second write to each name, and so on.
 */
function inRounds<Write>(
  writes: readonly Write[],
  nameOf: (write: Write) => TaskName,
): readonly (readonly Write[])[] {
  const counts = new Map<string, number>()
  const roundOf = (name: TaskName): number => {
    const key = keyOf(name)
    const round = counts.get(key) ?? 0
    counts.set(key, round + 1)
    return round
  }
  const named = writes.map((write) => ({ write, name: nameOf(write) }))
  const placed = named
    .sort((one, other) => byName(one.name, other.name))
    .map(({ write, name }) => ({ write, round: roundOf(name) }))
  return groupBy(placed, ({ round }) => round)
    .toSorted(([one], [other]) => one.round - other.round)
    .map((group) => group.map(({ write }) => write))
}

/** Groups writes by a key. The cast is safe because `Map.groupBy` never creates an empty group. */
const groupBy = <Write>(writes: readonly Write[], keyOf: (write: Write) => string | number) =>
  [...Map.groupBy(writes, keyOf).values()] as [Write, ...Write[]][]
