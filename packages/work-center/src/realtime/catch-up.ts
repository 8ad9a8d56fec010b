import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { VersionChanges } from '../inbox/version-changes.ts'
import type { Announcer } from './announcer.ts'
import { createSingleFlight } from './single-flight.ts'
import type { ConnectedUser } from './subscribers.ts'

/** The versions of these users as committed, in one statement. Whoever is missing from the answer is at 0. */
export type VersionsOf = (db: Db, userIds: readonly string[]) => Promise<VersionChanges>

export interface CatchUpOptions {
  readonly database: Database
  readonly versionsOf: VersionsOf
  readonly announcer: Announcer
  readonly logger: KitEnv['Variables']['logger']
}

export interface CatchUp {
  /** Has these users told the version that the database holds from now on, or a later one. */
  request(users: Iterable<ConnectedUser>): void
}

const none: VersionChanges = new Map()

/**
 * Asks the database for versions: of who has just connected, of everybody now and then. One statement at a time for all
 * who wait, so that a thousand clients that come back together cost a few.
 */
export function createCatchUp({ database, versionsOf, announcer, logger }: CatchUpOptions): CatchUp {
  let waiting = new Set<ConnectedUser>()

  const flight = createSingleFlight(async () => {
    const users = [...waiting]
    waiting = new Set()
    const userIds = users.map(({ userId }) => userId).filter((userId) => userId !== null)
    try {
      const versions = userIds.length === 0 ? none : await database.read((db) => versionsOf(db, userIds))
      for (const user of users) {
        announcer.advance(user, versions.get(user.userId ?? '') ?? 0)
        // Also who has connected since it was last told: nothing is sent twice.
        announcer.tell(user)
      }
    } catch (error) {
      logger.warn(
        { err: error, userCount: users.length },
        'Versions are not known; the next check asks again.',
      )
    }
  })

  return {
    request(users) {
      for (const user of users) waiting.add(user)
      if (waiting.size > 0) flight.request()
    },
  }
}
