import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { sql } from 'drizzle-orm/sql'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { encodeAnnouncements } from './announcement.ts'
import { createSingleFlight } from './single-flight.ts'

type Logger = KitEnv['Variables']['logger']

export interface PublisherOptions {
  readonly database: Database
  readonly channel: string
  readonly logger: Logger
}

export interface Publisher {
  publish(changes: VersionChanges): void
  /** Resolves when everything given so far is announced, or given up. */
  idle(): Promise<void>
}

/**
 * Announces versions with NOTIFY, after the commits that made them and by itself: inside of them it would take their
 * turns, as NOTIFY has all commits of a database wait for each other. One statement at a time; what comes meanwhile
 * goes together with the next, the highest version of each user.
 *
 * What cannot be announced is dropped: every hub asks for versions anyway, and a backlog would be of no use to it.
 */
export function createPublisher({ database, channel, logger }: PublisherOptions): Publisher {
  let pending = new Map<string, number>()

  const flight = createSingleFlight(async () => {
    const payloads = encodeAnnouncements(pending)
    const userCount = pending.size
    pending = new Map()
    try {
      await database.statement((tx) =>
        tx.execute(sql`
          select pg_notify(${channel}, payload)
          from unnest(${sql.param(payloads)}::text[]) payload`),
      )
    } catch (error) {
      logger.warn({ err: error, userCount }, 'Versions were not announced; the next check finds them.')
    }
  })

  return {
    publish(changes) {
      if (changes.size === 0) return
      for (const [userId, version] of changes) {
        pending.set(userId, Math.max(version, pending.get(userId) ?? 0))
      }
      flight.request()
    },
    idle: () => flight.idle(),
  }
}
