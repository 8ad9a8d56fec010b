import { createHorizon, idAt } from '@vertical-kit/core-audit/audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { NotificationDefinition } from '../definitions/definition.ts'
import { type InboxOptions, openInbox } from '../inbox/inbox.ts'
import type { AnnounceChanges, VersionChanges } from '../inbox/version-changes.ts'
import { createShrinkingBatches } from '../shrinking-batches.ts'
import { notifyFollowers } from './notify-followers.ts'
import { movePosition, nextEventAt, readEvents, takePosition, type WatchedEvent } from './watched-events.ts'
import type { WatchOptions } from './watched-objects.ts'

export interface FollowAuditOptions
  extends InboxOptions,
    Pick<WatchOptions, 'businessObjects' | 'modules' | 'describe'> {
  readonly database: Database
  readonly definition: NotificationDefinition
  readonly announce: AnnounceChanges
  /** The maximum number of audit events per transaction. The default is 1,000. */
  readonly batchSize?: number
}

/** The result of one transaction. */
interface Batch {
  readonly isFull: boolean
  readonly versions: VersionChanges
}

const nothing: Batch = { isFull: false, versions: new Map() }

/** The attempts for one event, one each second. Until then, the followers of all objects wait. */
const attemptsMax = 120

/**
 * Creates the worker that notifies followers. It reads the audit log in the order of ids, so following costs the writers of
 * events nothing. It stops before events that an open transaction could still precede: see `createHorizon`. The position
 * commits with the notifications, so each event is handled once, whichever replica works, and whenever a process ends. After a
 * failure, batches become smaller until the event that causes it is alone. It is left out after {@link attemptsMax} attempts.
 */
export function createFollowAudit(options: FollowAuditOptions): Worker {
  const { database, announce, batchSize = 1_000 } = options
  const horizon = createHorizon()
  const batches = createShrinkingBatches(batchSize)
  let failureCount = 0
  type Handle = (tx: Tx, events: readonly WatchedEvent[]) => Promise<VersionChanges>
  const followOnce = (limit: number, handle: Handle): Promise<Batch> =>
    database.transaction(async (tx) => {
      const afterId = await takePosition(tx)
      if (afterId === null) return nothing
      const horizonMs = await horizon.advance(tx)
      if (horizonMs === null) return nothing
      const batch = await readEvents(tx, { afterId, belowId: idAt(horizonMs), limit })
      if (batch.lastId === null) return nothing
      await movePosition(tx, batch.lastId)
      return { isFull: batch.isFull, versions: await handle(tx, batch.events) }
    })
  const notify: Handle = async (tx, events) => {
    const inbox = openInbox(tx, options)
    await notifyFollowers(tx, inbox, { ...options, events })
    return inbox.finish()
  }
  /** Leaves the next event out if it was alone and has failed too often. */
  const leaveOut = async (err: unknown, logger: KitEnv['Variables']['logger'] | undefined): Promise<void> => {
    failureCount = batches.size === 1 ? failureCount + 1 : 0
    if (failureCount < attemptsMax) return
    await followOnce(1, async (_tx, [event]) => {
      logger?.error(
        { err, eventId: event?.id },
        'Followers were not notified of an event: all attempts failed.',
      )
      return new Map()
    })
    failureCount = 0
    batches.reset()
  }
  return {
    name: 'work-center.watch',
    intervalMs: 1_000,
    dueAt: nextEventAt,
    async runOnce(signal, logger) {
      for (let isFull = true; isFull && !signal.aborted; ) {
        const batch = await batches
          .run((size) => followOnce(size, notify))
          .catch(async (error: unknown) => {
            await leaveOut(error, logger)
            throw error
          })
        failureCount = 0
        if (batch.versions.size > 0) announce(batch.versions)
        isFull = batch.isFull
      }
    },
  }
}
