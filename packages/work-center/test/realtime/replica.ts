import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createApplication, listen } from '@vertical-kit/core-audit/host'
import { createIdentity, type OidcConfig, oidcTokens, type Tokens } from '@vertical-kit/core-audit/identity'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { captureLog } from '@vertical-kit/core-audit/testing'
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
  /** The port; 0 or absent for any free port. */
  readonly port?: number
  /** Authenticates requests; accepts tokens of the deployment's issuer when absent. */
  readonly tokens?: Tokens
  /** Wraps the database of the realtime module. */
  observe?(database: Database): Database
}

/** A complete host with the hub, on its own port. */
export interface Replica {
  readonly url: string
  readonly port: number
  readonly realtime: Realtime
  /** The hub on the server of this host. */
  readonly attached: ReturnType<Realtime['attachTo']>
  readonly database: Database
  /** All log lines so far. */
  readonly logLines: readonly string[]
  /** Closes the sockets and then the server, as on SIGTERM. Repeats are harmless. */
  close(): Promise<void>
  /** Terminates every socket, as when the process dies. */
  crash(): Promise<void>
}

/**
 * Checks connections every few milliseconds, so a test that moves the clock soon sees the effect. Queries the database
 * so rarely that only tests with a shorter interval notice it.
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
  const { authenticate, ...identity } = createIdentity({
    ...{ database, outbox: createOutbox({ database, config: outboxDefaults }) },
    tokens: options.tokens ?? oidcTokens(place.oidc, { now: place.now }),
    administratorRoleCodes: [],
    modules: [],
  })
  const realtime = createRealtime({
    ...{ authenticate, logger, now: place.now, databaseUrl: place.databaseUrl },
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
    // When the kernel's server stops, it terminates all remaining sockets.
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
