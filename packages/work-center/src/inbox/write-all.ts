import type { Tx } from '@vertical-kit/core-audit/database'
import { type ClosedStatus, closeTasks } from '../commands/close-tasks.ts'
import { type CreateNotification, createNotifications } from '../commands/create-notifications.ts'
import { type CreateTask, createTasks } from '../commands/create-tasks.ts'
import { byName, type TaskName } from '../commands/lock-tasks.ts'
import type { NotificationDefinition, TaskDefinition } from '../definitions/definition.ts'
import type { SeenChange } from './version-changes.ts'

/** Something said of a task. */
export type TaskWrite =
  | { readonly kind: 'create'; readonly definition: TaskDefinition; readonly task: CreateTask }
  | { readonly kind: 'close'; readonly name: TaskName; readonly status: ClosedStatus }

/** A notification to be told. */
export interface NotificationWrite {
  readonly definition: NotificationDefinition
  readonly notification: CreateNotification
}

export const nameOf = (write: TaskWrite): TaskName =>
  write.kind === 'close'
    ? write.name
    : { code: write.definition.code, deduplicationKey: write.task.deduplicationKey }

/**
 * Writes what was said of tasks that are locked: in turns, so that what is said of one task counts in its order; and in a
 * turn, where each task is named once, what is alike in one statement. Sent at once, in the order of names.
 */
export function writeTasks(tx: Tx, writes: readonly TaskWrite[]): readonly Promise<readonly SeenChange[]>[] {
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

/** Writes notifications: in turns and in statements as for tasks. */
export function writeNotifications(
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

/** The first of each name, in the order of names, then the second of each, and so on. */
function inRounds<Write>(
  writes: readonly Write[],
  nameOf: (write: Write) => TaskName,
): readonly (readonly Write[])[] {
  const counts = new Map<string, number>()
  const roundOf = ({ code, deduplicationKey }: TaskName): number => {
    const key = JSON.stringify([code, deduplicationKey])
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

function groupBy<Write>(
  writes: readonly Write[],
  keyOf: (write: Write) => string | number,
): readonly (readonly [Write, ...Write[]])[] {
  const groups = new Map<string | number, [Write, ...Write[]]>()
  for (const write of writes) {
    const group = groups.get(keyOf(write))
    if (group === undefined) groups.set(keyOf(write), [write])
    else group.push(write)
  }
  return [...groups.values()]
}
