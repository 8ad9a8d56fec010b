import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createApplication, listen } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { createIdentity, type OidcConfig, oidcTokens, type Tokens } from '@vertical-kit/core-audit/identity'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { captureLog } from '@vertical-kit/core-audit/testing'
import type { MiddlewareHandler } from 'hono'
import { type RealtimeConfig, realtimeDefaults } from '../../src/realtime/config.ts'
import { RealtimeError } from '../../src/realtime/errors.ts'
import { createRealtime, type Realtime } from '../../src/realtime/realtime.ts'

export interface ReplicaPlace {
  readonly databaseUrl: string
  readonly oidc: OidcConfig
  readonly now: () => number
}

export interface ReplicaOptions {
  readonly config?: Partial<RealtimeConfig>
  /** The port of the server. By default, any free port is used. */
  readonly port?: number
  /** Authenticates requests. By default, accepts tokens of the deployment. */
  readonly tokens?: Tokens
  /** Authenticates requests instead of `tokens`, like an application with its own users. */
  readonly authenticate?: MiddlewareHandler<KitEnv>
  readonly businessObjects?: BusinessObjects
  /** Wraps the database of the realtime module. */
  observe?(database: Database): Database
  /** The clocks of the hub: the one of the deployment by default, or those of a host. */
  readonly clocks?: 'deployment' | 'host'
}

/** A complete host with the hub, on its own port. */
export interface Replica {
  readonly url: string
  readonly port: number
  readonly realtime: Realtime
  /** The hub on the server of this host. */
  readonly attached: ReturnType<Realtime['attachTo']>
  readonly database: Database
  /** The log lines that the host has written so far. */
  readonly logLines: readonly string[]
  /** Closes the sockets and then the server, like on SIGTERM. Later calls have no effect. */
  close(): Promise<void>
  /** Terminates all sockets, like the death of the process. */
  crash(): Promise<void>
}

/**
 * Connections are checked every few milliseconds, so that a change of the clock soon has an effect. The database is
 * queried so rarely that tests notice the queries only if they set a shorter interval.
 */
const testConfig: RealtimeConfig = {
  ...realtimeDefaults,
  sweepIntervalMs: 5,
  checkIntervalMs: 3_600_000,
  quietMs: 0,
  reconnectMinMs: 5,
  reconnectMaxMs: 50,
}

export async function openReplica(place: ReplicaPlace, options: ReplicaOptions): Promise<Replica> {
  const { logger, lines: logLines } = captureLog()
  const database = createDatabase({ ...databaseDefaults, url: place.databaseUrl })
  const { authenticate: byTokens, ...identity } = createIdentity({
    ...{ database, outbox: createOutbox({ database, config: outboxDefaults }) },
    tokens: options.tokens ?? oidcTokens(place.oidc, { now: place.now }),
    administratorRoleCodes: [],
    modules: [],
  })
  const { authenticate = byTokens } = options
  const realtime = createRealtime({
    ...{ authenticate, logger, databaseUrl: place.databaseUrl },
    ...(options.clocks !== 'host' && { now: place.now }),
    businessObjects: options.businessObjects,
    database: options.observe?.(database) ?? database,
    config: { ...testConfig, ...options.config },
  })
  const hub: KitModule = {
    ...{ name: 'realtime', router: realtime.router },
    errors: [RealtimeError],
  }
  const app = createApplication({
    ...{ title: 'Replica', authenticate, database, logger },
    modules: [identity, hub],
  })
  const running = await listen(app, { host: '127.0.0.1', port: options.port ?? 0 })
  const attached = realtime.attachTo(running.server)
  let closed: Promise<void> | undefined
  const close = async (graceMs: number): Promise<void> => {
    // When the server of the host stops, it terminates all remaining sockets.
    if (graceMs === 0) await running.close(0)
    await attached.close(graceMs)
    await running.close(graceMs)
    await database.close()
  }
  return {
    ...{ url: running.url, port: Number(new URL(running.url).port), realtime, attached, database, logLines },
    close: () => (closed ??= close(2_000)),
    crash: () => (closed ??= close(0)),
  }
}
