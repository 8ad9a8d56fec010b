import type { Server } from 'node:http'
import type { KitModule } from '@vertical-kit/core-audit'
import type { DatabasePassword } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { observeGauges } from '@vertical-kit/core-audit/telemetry'
import type { Hono } from 'hono'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { version } from '../version.ts'
import { RealtimeError } from './errors.ts'
import { createHub, type HubOptions } from './hub.ts'
import { keysOf } from './object-key.ts'
import { createPostgresBackplane } from './postgres-backplane.ts'
import { listAccounts } from './queries/list-accounts.ts'
import { listVersions } from './queries/list-versions.ts'

/** How sockets are authenticated and learn of changes. Without `businessObjects`, pages cannot subscribe to objects. */
export interface RealtimeOptions
  extends Pick<HubOptions, 'authenticate' | 'database' | 'businessObjects' | 'config' | 'logger' | 'now'> {
  /** The database URL. The hub listens on this URL, unless the configuration contains a separate URL for listening. */
  readonly databaseUrl: string
  /** Returns the current password for each new connection. Used if the URL contains no password. */
  readonly databasePassword?: DatabasePassword | undefined
}

/** The realtime part of the Work Center on one replica. It is a separate module for hosts that serve pages. */
export interface Realtime extends KitModule {
  /** The negotiation route. */
  readonly router: Hono<KitEnv>
  /** Notifies pages on all replicas. Call it after the commit. It returns immediately and does not throw. */
  readonly publish: (changes: VersionChanges) => void
  /**
   * Serves the hub on a server and listens to other replicas. `startHost` calls it once; a process that only publishes
   * does not need this call. `close` stops both the hub and the listener: it asks clients to reconnect to another
   * replica, and terminates remaining connections after `graceMs` (default: 2 s). Close the hub before the server,
   * because the server waits for its sockets.
   */
  attachTo(server: Server): { close(graceMs?: number): Promise<void> }
  readonly connectionCount: number
}

const connections = 'vertical_kit.hub.connections'
const gauges = { [connections]: { unit: '{connection}', description: 'Open sockets of pages.' } }

const defaultGraceMs = 2_000

/** Creates the hub with PostgreSQL as its backplane. Timers and listening start only when `attachTo` is called. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const { databaseUrl, databasePassword, ...rest } = options
  const { database, config, logger } = options
  const backplane = createPostgresBackplane({
    ...{ database, config, logger },
    listenUrl: config.databaseUrl ?? databaseUrl,
    listenPassword: databasePassword,
  })
  const hub = createHub({ ...rest, versionsOf: listVersions, accountsOf: listAccounts, backplane })
  if (options.businessObjects !== undefined) {
    // A process without a hub announces its changes too, so this subscription does not wait for `attachTo`.
    database.onAudited((objects) => backplane.publishObjects(keysOf(objects)))
  }
  return {
    name: '@vertical-kit/work-center/realtime',
    version,
    errors: [RealtimeError],
    router: hub.router,
    publish: backplane.publish,
    doctor: async () => {
      const { listenCheck } = await import('./listen-check.ts')
      const url = config.databaseUrl ?? databaseUrl
      return [listenCheck({ database, url, password: databasePassword })]
    },
    attachTo(server) {
      hub.attach(server)
      backplane.start()
      const attributes = { 'db.client.connection.pool.name': database.load.poolName }
      const stopObserving = observeGauges(gauges, () => [
        { name: connections, value: hub.connectionCount, attributes },
      ])
      return {
        async close(graceMs = defaultGraceMs) {
          stopObserving()
          await Promise.all([hub.close(graceMs), backplane.close(graceMs)])
        },
      }
    },
    get connectionCount() {
      return hub.connectionCount
    },
  }
}
