import type { Logger } from 'pino'
import { configOf } from '../../database/database.ts'
import { anchorOf } from './anchor.ts'
import type { NewestSeal } from './seal-events.ts'
import type { AuditSealingOptions } from './sealing.ts'

export interface AnchorPublisher {
  /** Publishes the newest seal if it is new and the interval has passed. If the interval has not passed, holds the seal. */
  publish(newest: NewestSeal, logger?: Logger): Promise<void>
  /** Publishes the seal that is held, if there is one. */
  publishHeld(logger?: Logger): Promise<void>
}

/**
 * The last published seal of each database. A tenant that opens again has a new publisher, but the same configuration of its
 * database. This is not stored in the database: its administrators could change it there, and so prevent new anchors.
 */
const published = new WeakMap<object, { readonly hash: string; readonly atMs: number }>()

/** Creates the publisher of one database. A seal whose publication failed is not held: the next cycle publishes the newest. */
export function createAnchorPublisher({
  database,
  config,
  storeAnchor,
}: AuditSealingOptions): AnchorPublisher {
  const key = configOf(database) ?? database
  let held: NewestSeal | undefined
  const publishNow = async ({ sequence, hash, lastEventId }: NewestSeal, logger?: Logger): Promise<void> => {
    held = undefined
    const anchor = anchorOf({ sequence, hash })
    logger?.info({ auditAnchor: anchor.text, lastEventId }, 'Sealed the audit log up to this anchor.')
    await storeAnchor?.(anchor)
    published.set(key, { hash, atMs: performance.now() })
  }
  return {
    async publish(newest, logger) {
      held = undefined
      const last = published.get(key)
      if (last?.hash === newest.hash) return
      if (last !== undefined && performance.now() - last.atMs < config.anchorIntervalMs) held = newest
      else await publishNow(newest, logger)
    },
    async publishHeld(logger) {
      if (held !== undefined) await publishNow(held, logger)
    },
  }
}
