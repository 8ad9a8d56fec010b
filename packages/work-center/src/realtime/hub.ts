import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { CoreError } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { type RunningWorkers, startWorkers } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'
import type { Hono, MiddlewareHandler } from 'hono'
import type { WebSocket } from 'ws'
import { type AccountsOf, createAccountCheck } from './account-check.ts'
import { type Admitted, createAdmit } from './admission.ts'
import { createAnnouncer } from './announcer.ts'
import type { Backplane } from './backplane.ts'
import { createCatchUp, type VersionsOf } from './catch-up.ts'
import type { RealtimeConfig } from './config.ts'
import { openConnection } from './connection.ts'
import { RealtimeError } from './errors.ts'
import { createLiveObjects } from './live-objects.ts'
import { objectMethods } from './object-methods.ts'
import type { ObjectSubscriber } from './object-rights.ts'
import { hubRoutes } from './routes.ts'
import { createSubscribers } from './subscribers.ts'
import { attachUpgrade } from './upgrade.ts'

export interface HubOptions {
  /** The authentication middleware of the host's routes. */
  readonly authenticate: MiddlewareHandler<KitEnv>
  readonly database: Database
  readonly versionsOf: VersionsOf
  readonly accountsOf: AccountsOf
  readonly backplane: Backplane
  /** The objects to which clients can subscribe. Without it, `subscribe` always returns false. */
  readonly businessObjects?: BusinessObjects | undefined
  readonly config: RealtimeConfig
  readonly logger: KitEnv['Variables']['logger']
  /** The clock for token expiry and timeouts. By default, tokens expire by the database's clock, and timeouts by a monotonic one. */
  readonly now?: () => number
}

/** Notifies open pages through SignalR that the version of their user has grown. The messages contain no items. */
export interface Hub {
  /** The negotiation route with its full path. Mount the router at `/`. */
  readonly router: Hono<KitEnv>
  /** Accepts upgrade requests of a server and starts the connection checks. Call it once. */
  attach(server: Server): void
  readonly connectionCount: number
  /** Rejects new connections, asks clients to reconnect, and terminates remaining connections after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Creates the hub of one replica. The backplane sends versions to it immediately. The hub also reads versions from the
 * database when a client connects and every `checkIntervalMs`, so a lost announcement only delays an update.
 */
export function createHub(options: HubOptions): Hub {
  const { database, backplane, config, logger, now = database.clock.now } = options
  // The database's clock can jump, for example after a failover: all connections would then look silent.
  const elapsedMs = options.now ?? (() => performance.now())
  const allowedOrigins = new Set(config.allowedOrigins)
  const admit = createAdmit(database, options.authenticate, allowedOrigins)
  const subscribers = createSubscribers()
  const announcer = createAnnouncer({ quietMs: config.quietMs, now })
  const catchUp = createCatchUp({ database, versionsOf: options.versionsOf, announcer, logger })
  const checkAccounts = createAccountCheck({
    ...{ database, accountsOf: options.accountsOf, subscribers },
    onRecognised: (user) => catchUp.request([user]),
  })
  const liveObjects =
    options.businessObjects &&
    createLiveObjects({
      ...{ database, businessObjects: options.businessObjects, logger, now },
      quietMs: config.quietMs,
    })
  const emptied = Promise.withResolvers<void>()
  let isClosing = false
  let workers: RunningWorkers | undefined

  const unsubscribe = backplane.subscribe({
    changed(changes) {
      for (const [userId, version] of changes) {
        const user = subscribers.withId(userId)
        if (user !== undefined) announcer.advance(user, version)
      }
    },
    objectsChanged: (objects) => liveObjects?.changed(objects),
    missed() {
      catchUp.request(subscribers.users)
      void liveObjects?.check()
    },
  })

  const checkRoom = ({ caller }: Admitted): void => {
    if (isClosing) throw new CoreError('service.unavailable')
    const maxConnections = config.maxConnectionsPerUser
    if (subscribers.connectionCountOf(caller.subject) < maxConnections) return
    throw new RealtimeError('work_center.too_many_connections', { context: { maxConnections } })
  }
  const onSocket = (ws: WebSocket, { caller, expiresAtMs, callerNow }: Admitted): void => {
    const user = subscribers.join(caller.subject, caller.userId)
    const subscriber: ObjectSubscriber = {
      callerNow,
      sendObject: (reference, number) => connection.sendObject(reference, number),
    }
    const connection = openConnection(ws, {
      ...{ expiresAtMs, config, now, elapsedMs },
      methods: objectMethods(liveObjects, subscriber),
      onReady: () => catchUp.request([user]),
      onClosed(reason) {
        subscribers.leave(user, connection)
        liveObjects?.leave(subscriber)
        const { connectionCount } = subscribers
        logger.debug({ reason, connectionCount }, 'A connection was closed.')
        if (isClosing && connectionCount === 0) emptied.resolve()
      },
    })
    subscribers.add(user, connection)
  }

  return {
    router: hubRoutes(admit, allowedOrigins),
    attach(server) {
      attachUpgrade(server, { admit, checkRoom, onSocket, config, logger })
      const sweep = async (): Promise<void> => {
        for (const connection of subscribers.connections) connection.sweep()
      }
      const check = async (): Promise<void> => {
        catchUp.request(subscribers.users)
        await checkAccounts()
      }
      const checkObjects = async (): Promise<void> => liveObjects?.check()
      workers = startWorkers(
        [
          { name: 'work-center.connections', intervalMs: config.sweepIntervalMs, runOnce: sweep },
          { name: 'work-center.versions', intervalMs: config.checkIntervalMs, runOnce: check },
          { name: 'work-center.live-objects', intervalMs: config.checkIntervalMs, runOnce: checkObjects },
        ],
        logger,
      )
    },
    get connectionCount() {
      return subscribers.connectionCount
    },
    async close(graceMs) {
      isClosing = true
      unsubscribe()
      announcer.stop()
      liveObjects?.stop()
      const stopped = workers?.stop()
      for (const connection of subscribers.connections) connection.end('restart')
      if (subscribers.connectionCount === 0) emptied.resolve()
      // The timer is unreferenced, so that it does not keep the process alive after all connections have ended.
      const grace = delay(graceMs, undefined, { ref: false })
      await Promise.race([Promise.all([emptied.promise, stopped]), grace])
      for (const connection of subscribers.connections) connection.terminate()
    },
  }
}
