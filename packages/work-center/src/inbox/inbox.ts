import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import type { ClosedStatus } from '../commands/close-tasks.ts'
import type { CreateNotification } from '../commands/create-notifications.ts'
import type { CreateTask } from '../commands/create-tasks.ts'
import { raiseVersions } from '../commands/raise-versions.ts'
import type { WorkCenterConfig } from '../config.ts'
import type { ItemDefinition, NotificationDefinition, TaskDefinition } from '../definitions/definition.ts'
import type { AnnounceChanges, VersionChanges } from './version-changes.ts'
import { type PendingWrites, writeAll } from './write-all.ts'

/** How a task is to be: open, as this says, or closed if it is active. */
export type DesiredTask = Omit<CreateTask, 'deduplicationKey'> | 'completed' | 'cancelled'

/**
 * What tasks and notifications are written with. Nothing is written when it is pending: all of it is, together, when the
 * transaction is about to end. So what is said of one task counts in its order, and of several tasks in none.
 *
 * @throws {TypeError} for a definition that the Work Center was not created with, and for a role its definition is not
 *   for: faults of the vertical, which nobody would notice otherwise
 */
export interface Inbox {
  /** Makes sure that the task is there and open; one that is active stays as it is. */
  createTask(definition: TaskDefinition, task: CreateTask): void
  /** The task, if it is active, was done. */
  completeTask(definition: TaskDefinition, deduplicationKey: string): void
  /** The task, if it is active, is not asked for any more. */
  cancelTask(definition: TaskDefinition, deduplicationKey: string): void
  /**
   * Brings a task into the state that is desired of it: with an object as `createTask`, with `'completed'` as
   * `completeTask`, with `'cancelled'` as `cancelTask`.
   */
  sync(definition: TaskDefinition, deduplicationKey: string, desired: DesiredTask): void
  /** Tells once for each deduplication key whoever the definition is for, or those of them in `to`. */
  createNotification(definition: NotificationDefinition, notification: CreateNotification): void
}

/** An inbox whose transaction is at hand. */
export interface OpenInbox extends Inbox {
  /**
   * Rights of a user, or of who has a role, have changed: everybody concerned looks again, and tasks claimed by who has
   * lost the role are there for the others again, before what else is said of them.
   */
  changeAccess(whose: AccessChangedData): void
  /**
   * Writes everything, and raises the version of each user who sees something of it by one: the last statements of the
   * transaction. Once; what it resolves with is announced after the commit.
   */
  finish(): Promise<VersionChanges>
}

export interface InboxOptions {
  readonly definitions: readonly ItemDefinition[]
  readonly config: Pick<WorkCenterConfig, 'notificationRetentionMs'>
  /** Codes of roles that may view everything. */
  readonly administratorRoleCodes: readonly string[]
}

/** Opens an inbox in a transaction of the caller's, who calls `finish` before it ends. */
export function openInbox(tx: Tx, options: InboxOptions): OpenInbox {
  const { definitions, config, administratorRoleCodes } = options
  const pending: PendingWrites = { accessChanges: [], notifications: [], tasks: [] }
  let isFinished = false
  const requireOpen = (): void => {
    if (isFinished) throw new TypeError('This inbox is finished: nothing can be written with it any more')
  }
  const requireUsable = (definition: ItemDefinition): void => {
    requireOpen()
    if (definitions.includes(definition)) return
    throw new TypeError(`${definition.code} is not among the definitions of the Work Center`)
  }
  const create = (definition: TaskDefinition, task: CreateTask): void => {
    requireUsable(definition)
    if ('roleCode' in task.assignedTo) requireRoles(definition, [task.assignedTo.roleCode])
    pending.tasks.push({ kind: 'create', definition, task })
  }
  const close = (definition: TaskDefinition, deduplicationKey: string, status: ClosedStatus): void => {
    requireUsable(definition)
    pending.tasks.push({ kind: 'close', name: { code: definition.code, deduplicationKey }, status })
  }
  return {
    createTask: create,
    completeTask: (definition, deduplicationKey) => close(definition, deduplicationKey, 'Completed'),
    cancelTask: (definition, deduplicationKey) => close(definition, deduplicationKey, 'Cancelled'),
    sync(definition, deduplicationKey, desired) {
      if (desired === 'completed') close(definition, deduplicationKey, 'Completed')
      else if (desired === 'cancelled') close(definition, deduplicationKey, 'Cancelled')
      else create(definition, { ...desired, deduplicationKey })
    },
    createNotification(definition, notification) {
      requireUsable(definition)
      if (notification.to !== undefined && 'roleCodes' in notification.to) {
        requireRoles(definition, notification.to.roleCodes)
      }
      pending.notifications.push({ definition, notification })
    },
    changeAccess(whose) {
      requireOpen()
      pending.accessChanges.push(whose)
    },
    async finish() {
      requireOpen()
      isFinished = true
      return raiseVersions(tx, administratorRoleCodes, await writeAll(tx, config, pending))
    },
  }
}

/** Preferences and rights go by the definition's roles, so another role's members could never receive it. */
function requireRoles({ code, roleCodes }: ItemDefinition, wanted: readonly string[]): void {
  const stranger = wanted.find((roleCode) => !roleCodes.includes(roleCode))
  if (stranger !== undefined) throw new TypeError(`${code} is not for the role ${stranger}`)
}

export interface InboxWriterOptions extends InboxOptions {
  readonly database: Database
  readonly announce: AnnounceChanges
}

/** Runs `work` in a transaction of its own with an inbox, commits both together, then tells open pages. */
export type WriteInbox = <T>(work: (inbox: Inbox, tx: Tx) => Promise<T>) => Promise<T>

export function createInboxWriter(options: InboxWriterOptions): WriteInbox {
  const { database, announce } = options
  return async (work) => {
    const { result, versions } = await database.transaction(async (tx) => {
      const inbox = openInbox(tx, options)
      const result = await work(inbox, tx)
      return { result, versions: await inbox.finish() }
    })
    if (versions.size > 0) announce(versions)
    return result
  }
}
