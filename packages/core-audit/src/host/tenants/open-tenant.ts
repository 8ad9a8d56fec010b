import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DatabaseConfig } from '../../database/config.ts'
import { createDatabase, type Database } from '../../database/database.ts'
import { CoreError } from '../../errors.ts'
import { createApplication } from '../application.ts'
import { observeHost } from '../observe-host.ts'
import { type HostOptions, prepareHost, workersOf } from '../start-host.ts'
import { defaultGraceMs, type FailingWorkers, startWorkers } from '../workers.ts'
import { type Agenda, agendaOf, dueInMs } from './agenda.ts'

/** The parts of a tenant that the process provides. The process closes the database. */
export interface TenantParts {
  readonly id: string
  readonly database: Database
  /** Its lines contain the id of the tenant. */
  readonly logger: Logger
}

/** The composition of one tenant: the options of `startHost`, except those that belong to the process. */
export type TenantOptions = Omit<HostOptions, 'database' | 'logger' | 'server' | 'metrics' | 'graceMs'>

/** Composes the modules of one tenant. Called each time the tenant opens. */
export type OpenTenant = (parts: TenantParts) => TenantOptions | Promise<TenantOptions>

/** A tenant that serves requests and runs its workers. */
export interface RunningTenant {
  readonly fetch: (request: Request, env: object) => Response | Promise<Response>
  /**
   * Passes an upgrade to the modules with sockets. Returns false if there are none.
   * @throws {CoreError} service.unavailable after `stop`
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  readonly agenda: Agenda
  /** Resolves when every worker has completed a cycle. */
  readonly cycled: Promise<unknown>
  /** Whether a worker is in a cycle that a closing must not abort. */
  readonly mustStayOpen: () => boolean
  /** Returns the time until a worker has work; see {@link dueInMs}. */
  dueInMs(): Promise<number>
  /** Stops sockets and the cycles of workers, for at most 4 s. Requests can still use the database. */
  stop(): Promise<void>
  /** Stops sockets and the cycles of workers, and closes the database. */
  close(): Promise<void>
  /** Resolves when workers have finished what needs no database, at most 4 s after `stop` or `close` was called. */
  finish(): Promise<void>
}

export interface RunTenantOptions {
  readonly id: string
  readonly config: DatabaseConfig
  readonly open: OpenTenant
  readonly logger: Logger
  readonly isDraining: () => boolean
  /** Called when the workers start. Returns the failures so far, which the workers of an earlier opening no longer change. */
  readonly takeFailing: () => FailingWorkers
  /** Gives up an opening. It has no effect on an open tenant. */
  readonly signal: AbortSignal
}

/** Maximum time to compose and prepare a tenant. Afterwards it counts as failed, and its place is free. */
const openLimitMs = 30_000

/** Opens a tenant like `startHost`, but without a server of its own. If it rejects, nothing of the tenant is running. */
export async function runTenant({ id, config, open, ...rest }: RunTenantOptions): Promise<RunningTenant> {
  // The process can close while the tenant waits for its place.
  rest.signal.throwIfAborted()
  const logger = rest.logger.child({ tenant: id })
  const database = createDatabase(config)
  try {
    const { app, options } = await unless(rest.signal, async () => {
      const options = { ...(await open({ id, database, logger })), database, logger }
      const app = createApplication({ ...options, isDraining: rest.isDraining })
      options.mount?.(app)
      await prepareHost(options)
      return { app, options }
    })
    const workers = workersOf(options)
    const agenda = agendaOf(workers)
    const running = startWorkers(workers, logger, rest.takeFailing())
    const stopObserving = observeHost(options)
    const sockets = lazySockets(options)
    const finish = once(() => running.stop())
    const stop = once(async () => {
      stopObserving()
      const late = delay(defaultGraceMs, undefined, { ref: false })
      await Promise.all([Promise.race([sockets.close(), late]), Promise.race([running.ended, finish()])])
    })
    return {
      fetch: (request, env) => app.fetch(request, env),
      upgrade: (...upgrade) => sockets.server().emit('upgrade', ...upgrade),
      agenda,
      cycled: running.cycled,
      mustStayOpen: () => running.keepsTenantOpen,
      dueInMs: () => database.read((db) => dueInMs(db, agenda)),
      stop,
      async close() {
        await stop()
        await database.close()
      },
      finish,
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Rejects when `act` takes too long, or when the signal is aborted. */
async function unless<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  const ended = new AbortController()
  const late = delay(openLimitMs, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).then(() => {
    throw new Error(`The tenant was not open after ${openLimitMs / 1_000} s.`)
  })
  try {
    return await Promise.race([act(), late])
  } finally {
    late.catch(() => {})
    ended.abort()
  }
}

/** Returns a function that calls `act` once; later calls return the same promise. */
function once(act: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => (result ??= act())
}

/**
 * Attaches the modules with sockets at the first upgrade, so that a tenant without open pages does not listen for changes. The
 * modules attach to a server that never listens: it only passes on the upgrades of this tenant.
 */
function lazySockets({ modules }: TenantOptions) {
  let server: Server | undefined
  let attached: { close(): Promise<void> }[] = []
  let isClosed = false
  return {
    server() {
      // An upgrade can arrive during a shutdown, on a connection that was open before. Nobody would close what it attaches.
      if (isClosed) throw new CoreError('service.unavailable')
      if (server !== undefined) return server
      const own = createServer()
      server = own
      attached = modules.flatMap((module) => module.attachTo?.(own) ?? [])
      return own
    },
    close() {
      isClosed = true
      return Promise.all(attached.map((part) => part.close()))
    },
  }
}
