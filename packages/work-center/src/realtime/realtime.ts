import type { Server } from 'node:http'
import type { KitModule } from '@vertical-kit/core-audit'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Hono } from 'hono'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { version } from '../version.ts'
import { RealtimeError } from './errors.ts'
import { createHub, type HubOptions } from './hub.ts'
import { createPostgresBackplane } from './postgres-backplane.ts'
import { listAccounts } from './queries/list-accounts.ts'
import { listVersions } from './queries/list-versions.ts'

export interface RealtimeOptions
  extends Pick<HubOptions, 'authenticate' | 'database' | 'config' | 'logger' | 'now'> {
  /** The database's address, listened at unless the configuration names a direct one. */
  readonly databaseUrl: string
}

/** The realtime side of the Work Center on one replica: a module of its own, which only hosts that serve pages mount. */
export interface Realtime extends KitModule {
  /** Of negotiation. */
  readonly router: Hono<KitEnv>
  /** Tells pages on all replicas, after the commit that raised these versions. Does not throw; nobody waits for it. */
  readonly publish: (changes: VersionChanges) => void
  /**
   * Serves the hub on a server, and listens to other replicas; `startHost` calls it. Once; a process that only publishes
   * does without. What it returns ends both: it asks connections to reconnect, to another replica, and cuts off those
   * that have not left after `graceMs` (2 s). End it before the server, which waits for its sockets.
   */
  attachTo(server: Server): { close(graceMs?: number): Promise<void> }
  readonly connectionCount: number
}

const defaultGraceMs = 2_000

/** The hub over the Work Center's tables, with PostgreSQL as its backplane. Nothing connects or runs before `attachTo`. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const { databaseUrl, ...rest } = options
  const { database, config, logger } = options
  const backplane = createPostgresBackplane({
    ...{ database, config, logger },
    listenUrl: config.databaseUrl ?? databaseUrl,
  })
  const hub = createHub({ ...rest, versionsOf: listVersions, accountsOf: listAccounts, backplane })
  return {
    name: '@vertical-kit/work-center/realtime',
    version,
    errors: [RealtimeError],
    router: hub.router,
    publish: backplane.publish,
    attachTo(server) {
      hub.attach(server)
      backplane.start()
      return {
        async close(graceMs = defaultGraceMs) {
          await Promise.all([hub.close(graceMs), backplane.close(graceMs)])
        },
      }
    },
    get connectionCount() {
      return hub.connectionCount
    },
  }
}
