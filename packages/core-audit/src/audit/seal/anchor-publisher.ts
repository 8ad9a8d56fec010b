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

/** Maximum duration of a call of `storeAnchor`. The store of attachments has a lower limit: at most 120 s. */
const storeLimitMs = 180_000

/** The seals of a database that matter for its anchors. */
interface KnownSeals {
  newest?: NewestSeal
  /** The seal of a call of `storeAnchor` that has exceeded its limit. Nobody knows whether it will still store the anchor. */
  unanswered?: NewestSeal | undefined
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
  const publishSeal = async (seal: NewestSeal, logger?: Logger): Promise<void> => {
    const anchor = anchorOf(seal)
    const { lastEventId } = seal
    logger?.info({ auditAnchor: anchor.text, lastEventId }, 'Sealed the audit log up to this anchor.')
    const store = async (signal: AbortSignal) => storeAnchor?.(anchor, signal)
    await inTime(store, () => {
      known.unanswered = seal
    })
    known.unanswered = undefined
  }
  const publishAfter = (intervalMs: number, logger?: Logger): Promise<void> => {
    // A tenant can open again while the last publication of its closing runs. Otherwise, anchors could be published twice or in
    // another order.
    const publication = known.idle.then(async () => {
      const { newest, lastPublished, unanswered } = known
      if (newest === undefined || newest.hash === lastPublished?.hash) return
      if (lastPublished !== undefined && performance.now() - lastPublished.atMs < intervalMs) return
      // Otherwise, the unanswered call could store its anchor after a newer one.
      if (unanswered !== undefined && unanswered.hash !== newest.hash) await publishSeal(unanswered, logger)
      await publishSeal(newest, logger)
      known.lastPublished = { hash: newest.hash, atMs: performance.now() }
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

/** Settles like the call, but rejects at the limit, even if the call ignores its signal. Calls `onLate` before it rejects. */
async function inTime(call: (signal: AbortSignal) => Promise<void>, onLate: () => void): Promise<void> {
  const ending = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    onLate()
    late.reject(new Error(`storeAnchor has not settled after ${storeLimitMs / 1_000} s.`))
  }, storeLimitMs).unref()
  try {
    await Promise.race([call(ending.signal), late.promise])
  } finally {
    clearTimeout(timer)
    ending.abort()
  }
}
