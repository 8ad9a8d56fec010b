import { createHorizon, idAt } from '@vertical-kit/core-audit/audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { NotificationDefinition } from '../definitions/definition.ts'
import { type InboxOptions, openInbox } from '../inbox/inbox.ts'
import type { AnnounceChanges, VersionChanges } from '../inbox/version-changes.ts'
import { keyOf } from '../realtime/object-key.ts'
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

/** How long one event is tried again. Until then, the followers of all objects wait. */
const patienceMs = 120_000
/** How long the events of an object are left out after that. */
const leaveOutMs = 600_000

/**
 * Creates the worker that notifies followers. It reads the audit log in the order of ids, so following costs the writers of
 * events nothing. It stops before events that an open transaction could still precede: see `createHorizon`. The position
 * commits with the notifications, so each event is handled once, whichever replica works, and whenever a process ends. After a
 * failure, batches become smaller until the event that causes it is alone. If that event fails for {@link patienceMs}, all events of
 * its object are left out for {@link leaveOutMs}, so that one object does not stop the followers of all others. Each replica
 * decides this for itself.
 */
export function createFollowAudit(options: FollowAuditOptions): Worker {
  const { database, announce, batchSize = 1_000 } = options
  const horizon = createHorizon()
  const batches = createShrinkingBatches(batchSize)
  /** The times until which the events of objects are left out, by the key of the object. */
  const leftOut = new Map<string, number>()
  /** The first event of the last batch, and the event that has failed alone, with the time of its first failure. */
  let first: WatchedEvent | undefined
  let failing: { readonly event: WatchedEvent; readonly sinceMs: number } | undefined
  const isLeftOut = ({ target }: WatchedEvent): boolean =>
    (leftOut.get(keyOf(target)) ?? 0) > performance.now()

  /** The horizon of the current cycle. A later one could be so young that events get ids before it if the clock goes back a little. */
  let horizonMs: number | null = null
  const followOnce = (limit: number): Promise<Batch> =>
    database.transaction(async (tx) => {
      first = undefined
      const afterId = await takePosition(tx)
      if (afterId === null) return nothing
      horizonMs ??= await horizon.advance(tx)
      if (horizonMs === null) return nothing
      const batch = await readEvents(tx, { afterId, belowId: idAt(horizonMs), limit })
      if (batch.lastId === null) return nothing
      await movePosition(tx, batch.lastId)
      const events = batch.events.filter((event) => !isLeftOut(event))
      first = events[0]
      const inbox = openInbox(tx, options)
      await notifyFollowers(tx, inbox, { ...options, events })
      return { isFull: batch.isFull, versions: await inbox.finish() }
    })
  /** Leaves out the object of an event that fails alone for too long. */
  const failedAlone = (event: WatchedEvent, err: unknown, logger: Logger | undefined): void => {
    const nowMs = performance.now()
    if (failing?.event.id !== event.id) failing = { event, sinceMs: nowMs }
    if (nowMs - failing.sinceMs < patienceMs) return
    failing = undefined
    for (const [key, untilMs] of leftOut) if (untilMs <= nowMs) leftOut.delete(key)
    leftOut.set(keyOf(event.target), nowMs + leaveOutMs)
    const message =
      'An event cannot be handled, so the followers of its object are not notified for 10 minutes.'
    logger?.error({ err, eventId: event.id, target: event.target }, message)
  }
  return {
    name: 'work-center.watch',
    intervalMs: 1_000,
    dueAt: nextEventAt,
    async runOnce(signal, logger) {
      horizonMs = null
      for (let isFull = true; isFull && !signal.aborted; ) {
        const { size } = batches
        const batch = await batches.run(followOnce).catch((error: unknown) => {
          if (size === 1 && first !== undefined) failedAlone(first, error, logger)
          throw error
        })
        if (batch.versions.size > 0) announce(batch.versions)
        isFull = batch.isFull
      }
    },
  }
}

type Logger = KitEnv['Variables']['logger']
