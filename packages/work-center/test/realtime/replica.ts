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
  /** 0, or none: a free one. */
  readonly port?: number
  /** How requests prove their sender; tokens of the deployment's issuer when absent. */
  readonly tokens?: Tokens
  /** Stands between realtime and the database. */
  observe?(database: Database): Database
}

/** A whole host with the hub, on a port of its own. */
export interface Replica {
  readonly url: string
  readonly port: number
  readonly realtime: Realtime
  /** The hub on the server of this host. */
  readonly attached: ReturnType<Realtime['attachTo']>
  readonly database: Database
  /** Everything logged so far, a line each. */
  readonly logLines: readonly string[]
  /** As on SIGTERM: sockets first, then the server. Repeats are harmless. */
  close(): Promise<void>
  /** As when the process dies: every socket is cut off. */
  crash(): Promise<void>
}

/**
 * Looks at connections every few milliseconds, so that a test that moves the clock sees what comes of it, and asks the
 * database so rarely that only tests that want it see that.
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
    // The kernel's server cuts off, at its end, whatever socket is there.
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
