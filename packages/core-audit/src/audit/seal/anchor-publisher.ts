import { once } from 'node:events'
import type { Logger } from 'pino'
import { configOf } from '../../database/database.ts'
import { anchorOf } from './anchor.ts'
import type { NewestSeal } from './seal-events.ts'
import type { AuditSealingOptions } from './sealing.ts'

export interface AnchorPublisher {
  /**
   * Publishes the newest seal if it is not published yet and the interval has passed. Once the signal is aborted, it returns
   * without waiting: `publishNow` publishes the seal, or waits for its publication.
   */
  publish(newest: NewestSeal, signal: AbortSignal, logger?: Logger): Promise<void>
  /** Publishes the newest seal that `publish` has received, if it is not published yet. */
  publishNow(logger?: Logger): Promise<void>
}

/** The seals of a database that matter for its anchors. */
interface KnownSeals {
  newest?: NewestSeal
  lastPublished?: { readonly hash: string; readonly atMs: number }
  /** Resolves when no publication runs. */
  idle: Promise<void>
}

/**
 * The seals of each database. A tenant that opens again has a new publisher, but the same configuration of its database. This is
 * not stored in the database: its administrators could change it there, and so prevent new anchors.
 */
const knownSeals = new WeakMap<object, KnownSeals>()

/** Creates the publisher of one database. */
export function createAnchorPublisher({
  database,
  config,
  storeAnchor,
}: AuditSealingOptions): AnchorPublisher {
  const key = configOf(database) ?? database
  const known = knownSeals.get(key) ?? { idle: Promise.resolve() }
  knownSeals.set(key, known)
  const publishAfter = (intervalMs: number, logger?: Logger): Promise<void> => {
    // A tenant can open again while the last publication of its closing runs. Otherwise, anchors could be published twice or in
    // another order.
    const publication = known.idle.then(async () => {
      const { newest, lastPublished } = known
      if (newest === undefined || newest.hash === lastPublished?.hash) return
      if (lastPublished !== undefined && performance.now() - lastPublished.atMs < intervalMs) return
      const { sequence, hash, lastEventId } = newest
      const anchor = anchorOf({ sequence, hash })
      logger?.info({ auditAnchor: anchor.text, lastEventId }, 'Sealed the audit log up to this anchor.')
      await storeAnchor?.(anchor)
      known.lastPublished = { hash, atMs: performance.now() }
    })
    known.idle = publication.catch(() => {})
    return publication
  }
  return {
    async publish(newest, signal, logger) {
      known.newest = newest
      if (signal.aborted) return
      const ended = new AbortController()
      const aborted = once(signal, 'abort', { signal: ended.signal })
      try {
        await Promise.race([publishAfter(config.anchorIntervalMs, logger), aborted])
      } finally {
        ended.abort()
      }
    },
    publishNow: (logger) => publishAfter(0, logger),
  }
}
