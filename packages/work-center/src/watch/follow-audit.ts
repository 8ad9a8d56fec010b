import { createHorizon, idAt } from '@vertical-kit/core-audit/audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import type { NotificationDefinition } from '../definitions/definition.ts'
import { type InboxOptions, openInbox } from '../inbox/inbox.ts'
import type { AnnounceChanges, VersionChanges } from '../inbox/version-changes.ts'
import { notifyFollowers } from './notify-followers.ts'
import { movePosition, nextEventAt, readEvents, takePosition } from './watched-events.ts'
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

/**
 * Creates the worker that notifies followers. It reads the audit log in the order of ids, so following costs the writers of
 * events nothing. It stops before events that an open transaction could still precede: see `createHorizon`. The position
 * commits with the notifications, so each event is handled once, whichever replica works, and whenever a process ends.
 */
export function createFollowAudit(options: FollowAuditOptions): Worker {
  const { database, announce, batchSize = 1_000 } = options
  const horizon = createHorizon()
  const followOnce = (): Promise<Batch> =>
    database.transaction(async (tx) => {
      const afterId = await takePosition(tx)
      if (afterId === null) return nothing
      const horizonMs = await horizon.advance(tx)
      if (horizonMs === null) return nothing
      const batch = await readEvents(tx, { afterId, belowId: idAt(horizonMs), limit: batchSize })
      if (batch.lastId === null) return nothing
      await movePosition(tx, batch.lastId)
      const inbox = openInbox(tx, options)
      await notifyFollowers(tx, inbox, { ...options, events: batch.events })
      return { isFull: batch.isFull, versions: await inbox.finish() }
    })
  return {
    name: 'work-center.watch',
    intervalMs: 1_000,
    dueAt: nextEventAt,
    async runOnce(signal) {
      for (let isFull = true; isFull && !signal.aborted; ) {
        const batch = await followOnce()
        if (batch.versions.size > 0) announce(batch.versions)
        isFull = batch.isFull
      }
    },
  }
}
