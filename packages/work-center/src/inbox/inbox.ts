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

/** The desired state of a task: open with these properties, or closed. */
export type DesiredTask = Omit<CreateTask, 'deduplicationKey'> | 'completed' | 'cancelled'

/**
 * Collects writes of tasks and notifications, and sends them together right before the transaction ends. Writes to one task
 * keep their order; writes to different tasks have no order.
 *
 * @throws {TypeError} for a definition that the Work Center was not created with, and for a role outside the definition:
 *   mistakes of the vertical that would otherwise go unnoticed
 */
export interface Inbox {
  /** Creates the task, or reopens a closed one; an active task stays unchanged. */
  createTask(definition: TaskDefinition, task: CreateTask): void
  /** Completes the task if it is active. */
  completeTask(definition: TaskDefinition, deduplicationKey: string): void
  /** Cancels the task if it is active. */
  cancelTask(definition: TaskDefinition, deduplicationKey: string): void
  /**
   * Brings a task into the desired state: an object works like `createTask`, `'completed'` like `completeTask`, and
   * `'cancelled'` like `cancelTask`.
   */
  sync(definition: TaskDefinition, deduplicationKey: string, desired: DesiredTask): void
  /** Notifies the definition's recipients, or those of them in `to`, once per deduplication key. */
  createNotification(definition: NotificationDefinition, notification: CreateNotification): void
}

/** An inbox inside the caller's transaction. */
export interface OpenInbox extends Inbox {
  /**
   * Records that the rights of a user or of a role's members changed: raises the versions of all affected users, and gives
   * back tasks when their claimer has lost the role, before other writes to these tasks.
   */
  changeAccess(change: AccessChangedData): void
  /**
   * Writes everything, and raises the version of each user that sees a change by one. Call it once, at the end of the
   * transaction, and announce the returned versions after the commit.
   */
  finish(): Promise<VersionChanges>
}

export interface InboxOptions {
  readonly definitions: readonly ItemDefinition[]
  readonly config: Pick<WorkCenterConfig, 'notificationRetentionMs'>
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

/** Opens an inbox in the caller's transaction. The caller must call `finish` before the transaction ends. */
export function openInbox(tx: Tx, options: InboxOptions): OpenInbox {
  const { definitions, config, administratorRoleCodes } = options
  const pending: PendingWrites = { accessChanges: [], notifications: [], tasks: [] }
  let isFinished = false
  const requireOpen = (): void => {
    if (isFinished) throw new TypeError('This inbox is finished and accepts no more writes')
  }
  const requireUsable = (definition: ItemDefinition): void => {
    requireOpen()
    if (definitions.includes(definition)) return
    throw new TypeError(`${definition.code} is missing from the definitions of the Work Center`)
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
    changeAccess(change) {
      requireOpen()
      pending.accessChanges.push(change)
    },
    async finish() {
      requireOpen()
      isFinished = true
      return raiseVersions(tx, administratorRoleCodes, await writeAll(tx, config, pending))
    },
  }
}

/** Preferences and rights follow the definition's roles, so members of another role could never receive the item. */
function requireRoles({ code, roleCodes }: ItemDefinition, wanted: readonly string[]): void {
  const unlisted = wanted.find((roleCode) => !roleCodes.includes(roleCode))
  if (unlisted !== undefined) throw new TypeError(`${code} does not list the role ${unlisted}`)
}

export interface InboxWriterOptions extends InboxOptions {
  readonly database: Database
  readonly announce: AnnounceChanges
}

/** Runs `work` with an inbox in a new transaction, commits both together, then notifies open pages. */
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
