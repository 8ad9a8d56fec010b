import { isPermission, isUuid, UtcInstant } from '@vertical-kit/core-audit/contract'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import * as v from 'valibot'
import type { ClosedStatus } from '../commands/close-tasks.ts'
import type { CreateNotification } from '../commands/create-notifications.ts'
import type { CreateTask } from '../commands/create-tasks.ts'
import { raiseVersions } from '../commands/raise-versions.ts'
import type { Audience } from '../commands/recipients.ts'
import type { WorkCenterConfig } from '../config.ts'
import { type Channel, channels, DueDay, type Source } from '../contract.ts'
import {
  type ItemDefinition,
  inChannels,
  isForAllRoles,
  type NotificationDefinition,
  offering,
  type TaskDefinition,
} from '../definitions/definition.ts'
import type { AnnounceChanges, VersionChanges } from './version-changes.ts'
import { type PendingWrites, writeAll } from './write-all.ts'

/** The desired state of a task: open with these properties, or closed. */
export type DesiredTask = Omit<CreateTask, 'deduplicationKey'> | 'completed' | 'cancelled'

/**
 * Collects writes to tasks and notifications, and sends all of them right before the transaction ends. Writes to the same
 * task keep their order. Writes to different tasks can run in any order.
 *
 * @throws {TypeError} for a definition that is missing from the Work Center's definitions, for a role that the definition
 *   does not list, for a source that no user could view, for ids that are no UUIDs, and for a due date that the wire format
 *   cannot represent; otherwise, such mistakes of a vertical would not be noticed
 */
export interface Inbox {
  /** Creates the task, or reopens it if it is closed. An active task stays unchanged. */
  createTask(definition: TaskDefinition, task: CreateTask): void
  /** Completes the task if it is active. */
  completeTask(definition: TaskDefinition, deduplicationKey: string): void
  /** Cancels the task if it is active. */
  cancelTask(definition: TaskDefinition, deduplicationKey: string): void
  /**
   * Changes a task to the desired state. An object has the effect of `createTask`, `'completed'` has the effect of
   * `completeTask`, and `'cancelled'` has the effect of `cancelTask`.
   */
  sync(definition: TaskDefinition, deduplicationKey: string, desired: DesiredTask): void
  /** Notifies the definition's recipients once per deduplication key. `to` can limit the recipients. */
  createNotification(definition: NotificationDefinition, notification: CreateNotification): void
}

/** An inbox in an existing transaction. */
export interface OpenInbox extends Inbox {
  /**
   * Records that the rights of a user, or of all members of a role, have changed. Raises the versions of all affected
   * users. Gives back tasks with a claimer that has lost the role, before other writes to these tasks. Makes users who have
   * gained a role, or are active again, recipients of its unclaimed tasks. With `joinedThrough`, goes on after this user.
   */
  changeAccess(data: AccessChangedData, joinedThrough?: string): void
  /**
   * Sends all writes, and adds one to the version of each user that sees a change. Call it once, at the end of the
   * transaction, and announce the returned versions after the commit.
   */
  finish(): Promise<VersionChanges>
  /**
   * After `finish`: if not null, further users can join tasks, because one transaction creates few entries: claims wait for
   * it. Pass the changes of access and this id of a user to `changeAccess` in another transaction.
   */
  readonly joinedThrough: string | null
}

/** The limits of an inbox: it writes only items of these definitions, and announces them only in these channels. */
export interface InboxOptions {
  readonly definitions: readonly ItemDefinition[]
  /** The channels of the deployment; all of them by default. Without `Email`, no mail is requested. */
  readonly channels?: readonly Channel[]
  readonly config: Pick<WorkCenterConfig, 'notificationRetentionMs'>
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

/** Opens an inbox in an existing transaction. Call `finish` before the transaction ends. */
export function openInbox(tx: Tx, options: InboxOptions): OpenInbox {
  const { definitions, administratorRoleCodes, channels: offered = channels } = options
  const pending: PendingWrites = { accessChanges: [], notifications: [], tasks: [] }
  let isFinished = false
  let joinedThrough: string | null = null
  const requireOpen = (): void => {
    if (isFinished) throw new TypeError('This inbox is finished and accepts no more writes')
  }
  const usable = <Definition extends ItemDefinition>(definition: Definition): Definition => {
    requireOpen()
    if (definitions.includes(definition)) return inChannels(definition, offered)
    throw new TypeError(`${definition.code} is missing from the definitions of the Work Center`)
  }
  const create = (definition: TaskDefinition, task: CreateTask): void => {
    const usableDefinition = usable(definition)
    requireSource(definition, task.source)
    requireDueDate(definition, task)
    if ('roleCode' in task.assignedTo) requireRoles(definition, [task.assignedTo.roleCode])
    else requireIds(definition, [task.assignedTo.userId])
    pending.tasks.push({ kind: 'create', definition: usableDefinition, task })
  }
  const close = (definition: TaskDefinition, deduplicationKey: string, status: ClosedStatus): void => {
    usable(definition)
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
      const usableDefinition = usable(definition)
      requireSource(definition, notification.source)
      requireAudience(definition, notification.to)
      pending.notifications.push({ definition: usableDefinition, notification })
    },
    changeAccess(data, through) {
      requireOpen()
      pending.accessChanges.push({ data, joinedThrough: through ?? null })
    },
    get joinedThrough() {
      return joinedThrough
    },
    async finish() {
      requireOpen()
      isFinished = true
      const written = { ...options, definitions: offering(definitions, offered) }
      const { changes, joinedThrough: last } = await writeAll(tx, written, pending)
      joinedThrough = last
      return raiseVersions(tx, administratorRoleCodes, changes)
    },
  }
}

function requireSource({ code }: ItemDefinition, { resourceKind, resourceCode, entityId }: Source): void {
  // No role can have another permission, so only administrators could see the item.
  if (!isPermission(`${resourceKind}.${resourceCode}.view`)) {
    throw new TypeError(
      `the source of ${code} needs a resourceKind (document, catalog or system) and a resourceCode such as trade.sales_invoice`,
    )
  }
  if (!isUuid(entityId)) throw new TypeError(`the source of ${code} needs a UUID as entityId`)
}

function requireAudience(definition: ItemDefinition, to: Audience | undefined): void {
  if (to === undefined) {
    if (!isForAllRoles(definition)) return
    throw new TypeError(`${definition.code} is for all roles, so each notification must name its users`)
  }
  if ('roleCodes' in to) requireRoles(definition, to.roleCodes)
  else requireIds(definition, to.userIds)
}

function requireIds({ code }: ItemDefinition, userIds: readonly string[]): void {
  if (!userIds.every(isUuid)) throw new TypeError(`${code} needs UUIDs as ids of users`)
}

/** Every later read of the task would fail if the wire format could not represent its due date. */
function requireDueDate({ code }: TaskDefinition, { dueAtUtc = null, dueOn = null }: CreateTask): void {
  if (dueAtUtc !== null && dueOn !== null) {
    throw new TypeError(`${code} has dueAtUtc and dueOn: a task is due at an instant or on a day`)
  }
  if (dueAtUtc !== null && !v.is(UtcInstant, dueAtUtc)) {
    throw new TypeError(`dueAtUtc of ${code} must be an instant in UTC, from the year 1 to 9999`)
  }
  if (dueOn !== null && !v.is(DueDay, dueOn)) {
    throw new TypeError(`dueOn of ${code} must be a day such as 2026-11-30, from the year 1 to 9999`)
  }
}

/** Preferences and rights depend on the definition's roles, so members of other roles could never receive the item. */
function requireRoles({ code, roleCodes }: ItemDefinition, wanted: readonly string[]): void {
  const unlisted = wanted.find((roleCode) => !roleCodes.includes(roleCode))
  if (unlisted !== undefined) throw new TypeError(`${code} does not list the role ${unlisted}`)
}

export interface InboxWriterOptions extends InboxOptions {
  readonly database: Database
  readonly announce: AnnounceChanges
}

/** Runs `work` with an inbox in a new transaction, commits the transaction, and then notifies open pages. */
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
