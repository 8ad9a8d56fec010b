import { join } from 'node:path'
import { type PostgresProxy, startPostgresProxy } from '@vertical-kit/core-audit/testing'
import {
  type ObjectStore,
  type PostgresServer,
  startIdentityProvider,
  startObjectStore,
  startPostgres,
} from '@vertical-kit/dev-services'
import { demoAccounts } from '../../src/demo-users.ts'
import { accessToken, type Demo, dataFolder, sharedParts } from '../demo-process.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import { type Clients, startClients } from './clients.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { startHosts } from './hosts.ts'
import { mountMemoryDisk } from './memory-disk.ts'

export interface WorldOptions {
  /** Additional environment variables of each host, by its index. */
  readonly environments?: readonly Readonly<Record<string, string>>[]
  /** The size of the disk of PostgreSQL in MiB. The disk is in memory, so that only the database notices when it is full. */
  readonly databaseDiskMiB?: number
  /** Whether three hosts use the replicated cluster of `deploy/ha` instead of a single database through a proxy. */
  readonly isClustered?: boolean
}

/** A database, a store, an identity provider, hosts that share them, and clients that write through all hosts. */
export interface World {
  readonly postgres: PostgresServer
  /** The address of the database without the proxy or the pooler. */
  readonly databaseUrl: string
  /** The cluster, if the drill asked for one. The hosts then do not use `postgres`. */
  readonly cluster: Cluster | undefined
  /** The root folder of the database's own disk, if the drill asked for one. */
  readonly databaseDisk: string | undefined
  /** The proxy between the hosts and the database. */
  readonly proxy: PostgresProxy
  readonly store: ObjectStore
  readonly hosts: readonly Demo[]
  readonly balancer: Balancer
  readonly clients: Clients
  token(user: string): Promise<string>
  /** Ends a host with a signal and starts another one on the same port. */
  replaceHost(index: number, signal: NodeJS.Signals): Promise<void>
  /** Returns the hosts that ended although the drill did not end them. */
  ended(): readonly string[]
  close(): Promise<void>
}

const databaseName = 'drill'
const clientCount = 6
/** Longer than the balancer needs to notice that a host is not ready. */
const shutdownDelay = '00:00:02'

/** Starts everything and waits until every client has completed a cycle of writes. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const closing: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const end of closing.toReversed()) await end()
  }
  try {
    const folder = await dataFolder()
    let databaseDisk: string | undefined
    closing.push(() => folder.remove())
    if (options.databaseDiskMiB !== undefined) {
      const disk = await mountMemoryDisk(options.databaseDiskMiB)
      closing.push(() => disk.remove())
      databaseDisk = disk.path
    }
    const postgres = await startPostgres({
      directory: join(databaseDisk ?? folder.path, 'postgres'),
      settings: { max_connections: '200' },
    })
    closing.push(() => postgres.stop('immediate'))
    await postgres.createDatabase(databaseName)
    const proxy = await startPostgresProxy(postgres.url(databaseName))
    closing.push(() => proxy.stop())
    const cluster = options.isClustered === true ? await startCluster() : undefined
    if (cluster !== undefined) closing.push(() => cluster.stop())
    const store = await startObjectStore({
      directory: join(folder.path, 'store'),
      buckets: ['vertical-kit-attachments'],
      credentials: [{ accessKeyId: 'demo', secretAccessKey: 'demo-secret-key' }],
    })
    closing.push(() => store.close())
    const { issuer, close: closeIssuer } = await startIdentityProvider({
      audience: 'vertical-kit',
      users: demoAccounts,
      scriptClientIds: ['demo-cli'],
    })
    closing.push(closeIssuer)
    const parts = sharedParts({ databaseUrl: proxy.url, issuer, objectStore: store.url, url: '' })
    const environment = {
      ...parts,
      LOG_LEVEL: 'fatal',
      SHUTDOWN_DELAY: shutdownDelay,
      ...cluster?.environment,
    }
    const hostCount = cluster === undefined ? 2 : 3
    const hosts = await startHosts(
      Array.from({ length: hostCount }, (_, index) => ({ ...environment, ...options.environments?.[index] })),
    )
    closing.push(() => hosts.close())
    const balancer = openBalancer(() => hosts.list.map(({ url }) => url))
    closing.push(async () => balancer.close())
    const token = (user: string) => accessToken(issuer, user)
    const users = await Promise.all(['clerk', 'clerk2'].map((user) => knownUser(balancer, token(user))))
    const clients = startClients({ balancer, users, count: clientCount })
    closing.push(() => clients.stop().catch(() => {}))
    await clients.eachCompletesAWrite()
    return {
      postgres,
      databaseUrl: cluster?.environment['DATABASE_DIRECT_URL'] ?? postgres.url(databaseName),
      cluster,
      databaseDisk,
      proxy,
      store,
      hosts: hosts.list,
      balancer,
      clients,
      token,
      replaceHost: hosts.replace,
      ended: hosts.ended,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function knownUser(balancer: Balancer, pending: Promise<string>) {
  const token = await pending
  const { body } = await balancer.untilAnswered({ method: 'GET', path: '/api/security/me/access', token })
  return { token, userId: body.userId }
}
