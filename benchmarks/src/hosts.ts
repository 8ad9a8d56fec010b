import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { type PostgresServer, startPostgres } from '@vertical-kit/dev-services'
import { type DataSize, type Documents, fillDatabase } from './data.ts'
import type { Target } from './measure.ts'
import {
  runScript,
  type ServerOptions,
  type ServerProcess,
  startListening,
  startServer,
} from './server-process.ts'

/** A host with its own filled database. */
export interface Setup {
  /** The host. Requests to it contain the token of the user `clerk`. */
  readonly host: Target
  readonly server: ServerProcess
  readonly databaseUrl: string
  readonly documents: Documents
}

/** A checkout of the repository whose host is measured. */
export interface Checkout {
  readonly root: URL
  /** Whether the host runs from its sources. The default is the built host, like in a deployment. */
  readonly fromSource?: boolean
}

export interface SetUpOptions extends ServerOptions {
  /** The checkout of the host; this checkout when absent. */
  readonly checkout?: Checkout
}

/** Starts the hosts and bare servers to measure. */
export interface Bench {
  /** The PostgreSQL server of all databases. */
  readonly postgres: PostgresServer
  /** Migrates a new database, starts a host that seeds it, and fills the database. */
  setUp(name: string, size: DataSize, options?: SetUpOptions): Promise<Setup>
  /** Starts another replica of a host, with the same database. */
  replicate(setup: Setup, options?: ServerOptions): Promise<ServerProcess>
  /** Issues a token for an existing user. The token matches the user record. */
  token(subject: string): Promise<string>
  /** Starts a bare server with the database of a host. */
  startBare(setup: Setup): Promise<Target>
  close(): Promise<void>
}

// Type stripping at startup would increase the memory of the host, so the tables use the built host.
const ownCheckout: Checkout = { root: new URL('../../', import.meta.url) }
const bareScript = new URL('./bare-server.ts', import.meta.url)

/**
 * The shared buffers that PostgreSQL recommends for a server. It stores them in huge pages if the machine has reserved enough.
 * Source: https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-SHARED-BUFFERS
 */
const quarterOfMemory = `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`

export interface BenchOptions {
  /**
   * Whether the database is on a disk, for data that does not fit into memory. A database in memory shows the cost of the
   * host best.
   */
  readonly isOnDisk: boolean
  /** Settings of the PostgreSQL server in addition to those of every bench. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Opens a bench with its own PostgreSQL server. */
export async function openBench({ isOnDisk, settings = {} }: BenchOptions): Promise<Bench> {
  const directory = isOnDisk ? await mkdtemp(join(tmpdir(), 'vertical-kit-bench-')) : undefined
  // Deletes the data directory, which can have gigabytes, at every exit that the process can handle.
  const removeData = () => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
  process
    .once('exit', removeData)
    .once('SIGINT', () => process.exit(130))
    .once('SIGTERM', () => process.exit(143))
  const issuer = await startTestIssuer()
  const token = await issuer.token({ subject: 'clerk', name: 'Clerk', email: 'clerk@example.com' })
  const postgres = await startPostgres({
    settings: {
      fsync: 'on',
      shared_buffers: isOnDisk ? quarterOfMemory : '512MB',
      max_wal_size: '4GB',
      ...settings,
    },
    ...(directory === undefined ? {} : { directory }),
  })
  const servers: ServerProcess[] = []
  const kept = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting
    servers.push(server)
    return server
  }
  return {
    postgres,
    async setUp(name, size, { checkout = ownCheckout, ...options } = {}) {
      await postgres.createDatabase(name)
      const databaseUrl = postgres.url(name)
      const env = hostEnvironment(databaseUrl, issuer.oidc)
      const { fromSource = false } = checkout
      await runScript(scriptOf(checkout, 'migrate'), env, { fromSource, args: ['up'] })
      const server = await kept(serve(checkout, env, options))
      const documents = await fillDatabase(databaseUrl, size)
      const host = { url: server.url, headers: { authorization: `Bearer ${token}` } }
      return { host, server, databaseUrl, documents }
    },
    replicate: ({ databaseUrl }, options = {}) =>
      kept(serve(ownCheckout, hostEnvironment(databaseUrl, issuer.oidc), options)),
    token: (subject) => issuer.token({ subject }),
    async startBare({ host, databaseUrl, documents }) {
      const path = `/api/documents/trade.sales_invoice/${documents.read[0]?.id}/editor-state`
      const response = await fetch(`${host.url}${path}`, { headers: host.headers })
      const { actions } = (await response.json()) as { readonly actions: unknown }
      const env = { DATABASE_URL: databaseUrl, ACTIONS: JSON.stringify(actions) }
      const { url } = await kept(startServer(bareScript, env))
      return { url, headers: {} }
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()))
      await postgres.stop()
      removeData()
      await issuer.close()
    },
  }
}

/** The entry of a deployment's host. In contrast to the demo, it starts no services and loads no sample data. */
const serve = (checkout: Checkout, env: Readonly<Record<string, string>>, options: ServerOptions) =>
  startListening(scriptOf(checkout, 'serve'), env, {
    ...options,
    fromSource: checkout.fromSource ?? false,
    path: '/health/ready',
  })

function scriptOf({ root, fromSource = false }: Checkout, name: string): URL {
  return new URL(`apps/demo-host/${fromSource ? `src/${name}.ts` : `dist/${name}.js`}`, root)
}

const hostEnvironment = (
  databaseUrl: string,
  oidc: { readonly issuer: string; readonly audience: string },
): Readonly<Record<string, string>> => ({
  DATABASE_URL: databaseUrl,
  LOG_LEVEL: 'warn',
  FeatureManagement__Attachments: 'true',
  FeatureManagement__Notes: 'true',
  Oidc__Issuer: oidc.issuer,
  Oidc__Audience: oidc.audience,
  // No benchmark connects to the object store, because the database contains the lists and counts.
  Attachments__Storage__InternalEndpoint: 'http://127.0.0.1:9',
  Attachments__Storage__PublicEndpoint: 'http://127.0.0.1:9',
  Attachments__Storage__AllowInsecureHttp: 'true',
  Attachments__Storage__AccessKey: 'bench',
  Attachments__Storage__SecretKey: 'bench',
})
