import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { decodeAnnouncement } from './announcement.ts'
import type { Backplane, BackplaneListener } from './backplane.ts'
import type { RealtimeConfig } from './config.ts'
import { type Listener, startListener } from './listener.ts'
import { isCanary } from './listening-session.ts'
import { createPublisher } from './publisher.ts'

export interface PostgresBackplaneOptions {
  /** What announcements go out through, a pooler if you like. */
  readonly database: Database
  /** Of the same database, directly: LISTEN is of a session, which a pooler in transaction mode does not keep. */
  readonly listenUrl: string
  readonly config: Pick<RealtimeConfig, 'canaryIntervalMs' | 'reconnectMinMs' | 'reconnectMaxMs'>
  readonly logger: KitEnv['Variables']['logger']
}

/** The backplane over LISTEN and NOTIFY of the database all replicas have in common. */
export interface PostgresBackplane extends Backplane {
  /** Listens until closed. A host that only publishes need not. */
  start(): void
  /** Lets what was published go out, which takes `graceMs` at most, and stops listening. */
  close(graceMs: number): Promise<void>
}

/** Of all replicas on one database; channels of other databases are others. */
const channel = 'work_center_versions'

/** Nothing connects before `start`, or the first announcement. */
export function createPostgresBackplane(options: PostgresBackplaneOptions): PostgresBackplane {
  const { database, listenUrl, config, logger } = options
  const publisher = createPublisher({ database, channel, logger })
  const subscribers = new Set<BackplaneListener>()
  let listener: Listener | undefined

  const onPayload = (payload: string): void => {
    if (isCanary(payload)) return
    const changes = decodeAnnouncement(payload)
    if (changes === undefined) {
      logger.warn('A notification was no announcement of versions.')
      return
    }
    for (const subscriber of subscribers) subscriber.changed(changes)
  }

  return {
    publish(changes) {
      // Here at once: the way through the database is for the others, and may be shut.
      for (const subscriber of subscribers) subscriber.changed(changes)
      publisher.publish(changes)
    },
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    start() {
      listener ??= startListener({
        ...{ url: listenUrl, channel, config, logger, onPayload },
        onListening() {
          for (const subscriber of subscribers) subscriber.missed()
        },
      })
    },
    async close(graceMs) {
      const grace = delay(graceMs, undefined, { ref: false })
      await Promise.all([Promise.race([publisher.idle(), grace]), listener?.close()])
    },
  }
}
