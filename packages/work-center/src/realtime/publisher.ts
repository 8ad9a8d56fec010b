import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { counter, type SpanDescription, withSpan } from '@vertical-kit/core-audit/telemetry'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { encodeAnnouncements } from './announcement.ts'
import type { ObjectChanges } from './object-key.ts'
import { createSingleFlight } from './single-flight.ts'

type Logger = KitEnv['Variables']['logger']

export interface PublisherOptions {
  readonly database: Database
  readonly channel: string
  readonly logger: Logger
}

export interface Publisher {
  publish(changes: VersionChanges): void
  publishObjects(objects: ObjectChanges): void
  /** Resolves when all published changes are announced or dropped. */
  idle(): Promise<void>
}

const announcements = counter('vertical_kit.hub.announcements', {
  unit: '{announcement}',
  description: 'Announcements of new versions to all replicas, by outcome: sent or failed.',
})

/** Counts announcements. A hub counts 0 at its start, because Prometheus cannot see the increase of a new counter. */
export function countAnnouncements(outcome: 'sent' | 'failed', count: number): void {
  announcements.record(count, { 'vertical_kit.hub.outcome': outcome })
}

const spanOf = (channel: string, count: number): SpanDescription => ({
  name: `send ${channel}`,
  kind: 'producer',
  attributes: {
    'messaging.system': 'postgresql',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': channel,
    'messaging.batch.message_count': count,
  },
})

/** Announcements of a busy host are at least this far apart. Each wakes every replica, so fewer ones save time everywhere. */
const pauseMs = 8

/**
 * Announces versions with NOTIFY, in a separate transaction after the commit of the writes. PostgreSQL commits
 * transactions with NOTIFY one after the other, so NOTIFY in the same transaction would delay the writes. Runs one
 * statement at a time. A change after a pause is announced at once. During a statement and the {@link pauseMs} after it, new
 * versions are collected; the next statement announces the highest version of each user, and each changed object once.
 *
 * Drops versions when the announcement fails: every hub reads versions periodically, so keeping them would be useless.
 */
export function createPublisher({ database, channel, logger }: PublisherOptions): Publisher {
  let pending = new Map<string, number>()
  let objects = new Set<string>()

  const flight = createSingleFlight(async () => {
    const payloads = encodeAnnouncements({ versions: pending, objects })
    const userCount = pending.size
    const objectCount = objects.size
    pending = new Map()
    objects = new Set()
    try {
      await withSpan(
        () => spanOf(channel, payloads.length),
        () =>
          database.statement((tx) =>
            tx.execute(sql`
              select pg_notify(${channel}, payload)
              from unnest(${sql.param(payloads)}::text[]) payload`),
          ),
      )
      countAnnouncements('sent', payloads.length)
    } catch (error) {
      countAnnouncements('failed', payloads.length)
      logger.warn(
        { err: error, userCount, objectCount },
        'Announcing versions failed; the next check reads them.',
      )
    }
    await delay(pauseMs)
  })

  return {
    publish(changes) {
      if (changes.size === 0) return
      for (const [userId, version] of changes) {
        pending.set(userId, Math.max(version, pending.get(userId) ?? 0))
      }
      flight.request()
    },
    publishObjects(changes) {
      if (changes.size === 0) return
      for (const key of changes) objects.add(key)
      flight.request()
    },
    idle: () => flight.idle(),
  }
}
