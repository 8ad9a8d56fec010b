import { setTimeout as delay } from 'node:timers/promises'
import type { Database, DatabasePassword } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { decodeAnnouncement } from './announcement.ts'
import type { Backplane, BackplaneListener } from './backplane.ts'
import type { RealtimeConfig } from './config.ts'
import { type Listener, startListener } from './listener.ts'
import { isCanary } from './listening-session.ts'
import { countAnnouncements, createPublisher } from './publisher.ts'

export interface PostgresBackplaneOptions {
  /** Sends the announcements. Its connections can go through a pooler. */
  readonly database: Database
  /** A URL of the same database without a pooler: LISTEN needs a session, which poolers in transaction mode do not keep. */
  readonly listenUrl: string
  /** Returns the current password for each new connection. Used if the URL contains no password. */
  readonly listenPassword?: DatabasePassword | undefined
  readonly config: Pick<RealtimeConfig, 'canaryIntervalMs' | 'reconnectMinMs' | 'reconnectMaxMs'>
  readonly logger: KitEnv['Variables']['logger']
}

/** A backplane that uses LISTEN and NOTIFY of the database, which all replicas share. */
export interface PostgresBackplane extends Backplane {
  /** Starts listening. A host that only publishes does not need this call. */
  start(): void
  /** Waits up to `graceMs` for pending announcements, and stops listening. */
  close(graceMs: number): Promise<void>
}

/** The channel that all replicas of a database share. Different databases have separate channels. */
const channel = 'work_center_versions'

/** Creates the backplane. It opens no connection before `start` or the first announcement. */
export function createPostgresBackplane(options: PostgresBackplaneOptions): PostgresBackplane {
  const { database, listenUrl: url, listenPassword: password, config, logger } = options
  const publisher = createPublisher({ database, channel, logger })
  const subscribers = new Set<BackplaneListener>()
  let listener: Listener | undefined

  const onPayload = (payload: string): void => {
    if (isCanary(payload)) return
    const announced = decodeAnnouncement(payload)
    if (announced === undefined) {
      logger.warn('Ignored a malformed announcement of versions.')
      return
    }
    for (const subscriber of subscribers) {
      if (announced.versions.size > 0) subscriber.changed(announced.versions)
      if (announced.objects.size > 0) subscriber.objectsChanged(announced.objects)
    }
  }

  return {
    publish(changes) {
      // Notify this replica immediately. The database announces the versions to other replicas, but may be unavailable.
      for (const subscriber of subscribers) subscriber.changed(changes)
      publisher.publish(changes)
    },
    // This replica also waits for the database: hubs count announcements, so each must arrive once.
    publishObjects: publisher.publishObjects,
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    start() {
      countAnnouncements('sent', 0)
      countAnnouncements('failed', 0)
      listener ??= startListener({
        ...{ url, password, channel, config, logger, onPayload },
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
