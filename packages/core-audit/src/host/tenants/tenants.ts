import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'
import type { DatabaseConfig } from '../../database/config.ts'
import { createGate } from '../../database/gate.ts'
import { CoreError } from '../../errors.ts'
import type { HealthCheck } from '../health.ts'
import type { TenantsConfig } from './config.ts'
import type { OpenTenant } from './open-tenant.ts'
import { createTenant, type Tenant, type TenantSettings } from './tenant.ts'

export interface TenantsOptions {
  /**
   * The database of each tenant, by the id of the tenant. Each round reads this map, so the application can add, replace and
   * remove entries while the process runs. The tenant of a replaced or removed entry closes immediately, so its requests in
   * progress can fail.
   */
  readonly tenants: ReadonlyMap<string, DatabaseConfig>
  readonly open: OpenTenant
  readonly config: TenantsConfig
  readonly logger: Logger
  readonly isDraining?: () => boolean
  /** The time in which a server must answer a visit; 2 seconds when absent. */
  readonly visitTimeoutMs?: number
  /** The monotonic clock in milliseconds; `performance.now` when absent. */
  readonly now?: () => number
  readonly random?: () => number
}

/** The tenants of a process. Each one opens at its first request, or when one of its workers has work. */
export interface Tenants {
  /**
   * Passes a request to a tenant. The tenant is in use until the response has been sent, which takes long for a stream.
   * @throws {CoreError} request.route_not_found · service.unavailable when the tenant cannot be opened
   */
  fetch(id: string, request: Request, env: Partial<HttpBindings>): Promise<Response>
  /** Passes an upgrade to a tenant. Throws like `fetch`. */
  upgrade(id: string, ...upgrade: [request: IncomingMessage, socket: Duplex, head: Buffer]): Promise<void>
  /** Closes idle tenants and visits closed ones whose time has come. Resolves when all of this is done. */
  round(): Promise<void>
  /** Degraded while some tenants cannot be opened, or their work has no place, fails or stays due. It does not name them. */
  readonly health: HealthCheck
  readonly openCount: number
  /** Stops the sockets and workers of all tenants. Requests in progress can still use the databases. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Maximum number of visits at the same time, each with one connection. Failing tenants have a limit of their own. */
const maxVisits = 8
/** Maximum number of tenants that open at the same time because of work: requests must not wait for all of them. */
const maxOpenings = 4
/** Maximum time that a request waits for a place while other tenants close. */
const placeWaitMs = 5_000
/** The longest delay of a Node timer: a visit waits for its turn without a limit. */
const unlimitedMs = 2 ** 31 - 1

const busy = (): Error => new CoreError('service.unavailable')

/** Creates the tenants of a process. Nothing opens before the first request or round. */
export function createTenants(options: TenantsOptions): Tenants {
  const { tenants: databases, config, now = () => performance.now(), random = Math.random } = options
  const entries = new Map<string, { readonly databaseConfig: DatabaseConfig; readonly tenant: Tenant }>()
  const visited = new Set<Tenant>()
  const places = createGate({ limit: config.maxOpen, waitMs: placeWaitMs, onTimeout: busy })
  const createLane = () => {
    const turns = (limit: number) => createGate({ limit, waitMs: unlimitedMs, onTimeout: busy })
    return { visits: turns(maxVisits), openings: turns(maxOpenings) }
  }
  const lanes = { reachable: createLane(), failing: createLane() }
  let isClosing = false

  /** The number of tenants that are closing to make room. */
  let leavingCount = 0
  const makeRoom: TenantSettings['makeRoom'] = ({ opening, restedMs }) => {
    const isForWork = opening === 'work'
    // A request has entered the queue already; the work enters it only if there is room.
    const waitingCount = places.waitingCount + (isForWork ? places.waitingLastCount + 1 : 0)
    if (places.runningCount - leavingCount + waitingCount <= config.maxOpen) return true
    const rested = [...entries.values()]
      .map(({ tenant }) => tenant)
      .filter((tenant) => now() - (tenant.restsSinceMs ?? Number.POSITIVE_INFINITY) >= restedMs)
      .sort((a, b) => (a.restsSinceMs ?? 0) - (b.restsSinceMs ?? 0))
    // Only a request may abort work, because an aborted mail can be sent twice. Work waits for other work.
    const longest = rested.find(({ isWorking }) => !isWorking) ?? (isForWork ? undefined : rested[0])
    if (longest === undefined) return false
    leavingCount += 1
    void longest.evict().then(() => {
      leavingCount -= 1
    })
    return true
  }

  const find = (id: string): Tenant | undefined => {
    const databaseConfig = databases.get(id)
    const entry = entries.get(id)
    if (entry !== undefined && entry.databaseConfig === databaseConfig) return entry.tenant
    entries.delete(id)
    void entry?.tenant.close()
    if (databaseConfig === undefined || isClosing) return undefined
    const { open, logger, isDraining = () => false, visitTimeoutMs = 2_000 } = options
    const shared = { places, makeRoom, isDraining, visitTimeoutMs, now, random }
    const tenant = createTenant({ id, databaseConfig, open, config, logger, ...shared })
    entries.set(id, { databaseConfig, tenant })
    return tenant
  }
  const get = (id: string): Tenant => {
    const tenant = find(id)
    if (tenant === undefined)
      throw new CoreError(isClosing ? 'service.unavailable' : 'request.route_not_found')
    return tenant
  }

  const visit = async (tenant: Tenant): Promise<void> => {
    const lane = tenant.isFailing ? lanes.failing : lanes.reachable
    visited.add(tenant)
    const answer = await lane.visits.run(async () => (isClosing ? 'idle' : tenant.check()))
    if (answer === 'due') await lane.openings.run(async () => (isClosing ? undefined : tenant.openForWork()))
    visited.delete(tenant)
    // A worker can take long. Its tenant has a place, but no turn of a lane.
    if (answer === 'due') await tenant.closeAfterWork()
  }

  return {
    async fetch(id, request, env) {
      const tenant = get(id)
      const { outgoing } = env
      if (outgoing !== undefined && !outgoing.closed) outgoing.once('close', tenant.hold())
      return tenant.use(async (running) => running.fetch(request, env))
    },
    async upgrade(id, request, socket, head) {
      const tenant = get(id)
      await tenant.use(async (running) => {
        // The client can disconnect while the tenant opens.
        if (socket.destroyed) return
        socket.once('close', tenant.hold())
        if (!running.upgrade(request, socket, head)) throw new CoreError('request.route_not_found')
      })
    },
    async round() {
      for (const id of new Set([...databases.keys(), ...entries.keys()])) find(id)
      const all = [...entries.values()].map(({ tenant }) => tenant)
      const due = all
        .filter((tenant) => tenant.nextVisitMs <= now() && !visited.has(tenant))
        .sort((a, b) => a.nextVisitMs - b.nextVisitMs)
      await Promise.all([...all.map((tenant) => tenant.closeIfIdle()), ...due.map(visit)])
    },
    health: {
      name: 'tenants',
      async check() {
        const all = [...entries.values()].map(({ tenant }) => tenant)
        const counts = [
          { count: all.filter(({ isFailing }) => isFailing).length, what: 'tenants cannot be opened' },
          {
            count: all.filter(({ isStarving }) => isStarving).length,
            what: 'tenants have work, but no place',
          },
          {
            count: all.filter(({ isBehind }) => isBehind).length,
            what: 'tenants have work that fails or stays due',
          },
        ].filter(({ count }) => count > 0)
        if (counts.length === 0) return { status: 'Healthy' }
        const problems = counts.map(({ count, what }) => `${count} of ${entries.size} ${what}.`)
        return { status: 'Degraded', detail: `${problems.join(' ')} The log names them.` }
      },
    },
    get openCount() {
      return places.runningCount
    },
    async stop() {
      isClosing = true
      await Promise.all([...entries.values()].map(({ tenant }) => tenant.stop()))
    },
    async close() {
      isClosing = true
      await Promise.all([...entries.values()].map(({ tenant }) => tenant.close()))
    },
  }
}
