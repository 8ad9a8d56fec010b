import type { Server } from 'node:http'
import { type KitEnv, type KitModule, releaseTrain } from '@vertical-kit/core-audit'
import type { Hono } from 'hono'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { RealtimeError } from './errors.ts'
import { createHub, type HubOptions } from './hub.ts'
import { createPostgresBackplane } from './postgres-backplane.ts'
import { listAccounts } from './queries/list-accounts.ts'
import { listVersions } from './queries/list-versions.ts'

export interface RealtimeOptions
  extends Pick<HubOptions, 'identify' | 'database' | 'config' | 'logger' | 'now'> {
  /** The database's address, listened at unless the configuration names a direct one. */
  readonly databaseUrl: string
}

/** The realtime side of the Work Center on one replica: a module of its own, which only hosts that serve pages mount. */
export interface Realtime extends KitModule {
  /** Of negotiation. */
  readonly router: Hono<KitEnv>
  /** Tells pages on all replicas, after the commit that raised these versions. Does not throw; nobody waits for it. */
  readonly publish: (changes: VersionChanges) => void
  /** Serves the hub on a server, and listens to other replicas. Once; a process that only publishes does without. */
  start(server: Server): void
  readonly connectionCount: number
  /**
   * Asks connections to come back, to another replica, cuts off after `graceMs` (2 s) who has not left, and stops listening.
   * Before the server is closed, which waits for its sockets.
   */
  close(graceMs?: number): Promise<void>
}

const defaultGraceMs = 2_000

/** The hub over the Work Center's tables, with PostgreSQL as its backplane. Nothing connects or runs before `start`. */
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
    version: releaseTrain,
    permissions: [],
    errors: [RealtimeError],
    router: hub.router,
    publish: backplane.publish,
    start(server) {
      hub.attach(server)
      backplane.start()
    },
    get connectionCount() {
      return hub.connectionCount
    },
    async close(graceMs = defaultGraceMs) {
      await Promise.all([hub.close(graceMs), backplane.close(graceMs)])
    },
  }
}
