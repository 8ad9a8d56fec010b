import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { VersionChanges } from '../inbox/version-changes.ts'
import type { Announcer } from './announcer.ts'
import { createSingleFlight } from './single-flight.ts'
import type { ConnectedUser } from './subscribers.ts'

/** Returns the committed versions of these users in one statement. Users missing from the result have version 0. */
export type VersionsOf = (db: Db, userIds: readonly string[]) => Promise<VersionChanges>

export interface CatchUpOptions {
  readonly database: Database
  readonly versionsOf: VersionsOf
  readonly announcer: Announcer
  readonly logger: KitEnv['Variables']['logger']
}

export interface CatchUp {
  /** Requests a read that starts after this call and sends the versions of these users to their connections. */
  request(users: Iterable<ConnectedUser>): void
}

const none: VersionChanges = new Map()

/**
 * Creates the reader of versions. It serves users that have just connected, and the periodic check of all connected
 * users. Only one statement runs at a time and reads the versions of all waiting users. A thousand clients that reconnect
 * together therefore cause only a few statements.
 */
export function createCatchUp({ database, versionsOf, announcer, logger }: CatchUpOptions): CatchUp {
  let waiting = new Set<ConnectedUser>()

  const flight = createSingleFlight(async () => {
    const users = [...waiting]
    waiting = new Set()
    const known = users.map(({ version }) => version)
    const userIds = users.map(({ userId }) => userId).filter((userId) => userId !== null)
    try {
      const versions = userIds.length === 0 ? none : await database.read((db) => versionsOf(db, userIds))
      for (const [index, user] of users.entries()) {
        const version = versions.get(user.userId ?? '') ?? 0
        // The known version was committed before this statement, so the database has lost commits: an older state of it was
        // restored, or another server took over. Pages load the Work Center again when they reconnect.
        if (version < (known[index] ?? 0)) {
          user.version = version
          for (const connection of user.connections) connection.end('restart')
          continue
        }
        announcer.advance(user, version)
        // Also sends the version to new connections. A connection never receives the same version twice.
        announcer.send(user)
      }
    } catch (error) {
      logger.warn({ err: error, userCount: users.length }, 'Reading versions failed; the next check retries.')
    }
  })

  return {
    request(users) {
      for (const user of users) waiting.add(user)
      if (waiting.size > 0) flight.request()
    },
  }
}
