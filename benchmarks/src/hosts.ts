import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { startPostgres } from '@vertical-kit/dev-services'
import { type DataSize, type Documents, fillDatabase } from './data.ts'
import type { Target } from './measure.ts'
import { type ServerOptions, type ServerProcess, startServer } from './server-process.ts'

/** A host with its own filled database. */
export interface Setup {
  /** The host. Requests to it contain the token of the user `clerk`. */
  readonly host: Target
  readonly server: ServerProcess
  readonly databaseUrl: string
  readonly documents: Documents
}

/** Starts the hosts and bare servers to measure. */
export interface Bench {
  /** Starts a host with a new database. The host migrates and seeds the database, which is then filled. */
  setUp(name: string, size: DataSize): Promise<Setup>
  /** Starts another replica of a host, with the same database. */
  replicate(setup: Setup, options?: ServerOptions): Promise<ServerProcess>
  /** Issues a token for an existing user. The token matches the user record. */
  token(subject: string): Promise<string>
  /** Starts a bare server with the database of a host. */
  startBare(setup: Setup): Promise<Target>
  close(): Promise<void>
}

// Use the built host, like a deployment. Type stripping at startup would increase its memory.
const hostScript = new URL('../../apps/demo-host/dist/main.js', import.meta.url)
const bareScript = new URL('./bare-server.ts', import.meta.url)

/**
 * Opens a bench with its own PostgreSQL server. By default, the database is in memory, so that the cost of the host is
 * most visible. With `isOnDisk`, the database is on a disk, for data that does not fit into memory.
 */
export async function openBench({ isOnDisk }: { readonly isOnDisk: boolean }): Promise<Bench> {
  const directory = isOnDisk ? await mkdtemp(join(tmpdir(), 'vertical-kit-bench-')) : undefined
  // Deletes the data directory, which can have gigabytes, at every exit that the process can handle.
  const removeData = () => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', removeData).once('SIGINT', () => process.exit(130))
  const issuer = await startTestIssuer()
  const token = await issuer.token({ subject: 'clerk', name: 'Clerk', email: 'clerk@example.com' })
  const postgres = await startPostgres({
    settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB' },
    ...(directory === undefined ? {} : { directory }),
  })
  const servers: ServerProcess[] = []
  const start = async (
    script: URL,
    env: Readonly<Record<string, string>>,
    options?: ServerOptions,
  ): Promise<ServerProcess> => {
    const server = await startServer(script, env, options)
    servers.push(server)
    return server
  }
  return {
    async setUp(name, size) {
      await postgres.createDatabase(name)
      const databaseUrl = postgres.url(name)
      const server = await start(hostScript, hostEnvironment(databaseUrl, issuer.oidc))
      const documents = await fillDatabase(databaseUrl, size)
      const host = { url: server.url, headers: { authorization: `Bearer ${token}` } }
      return { host, server, databaseUrl, documents }
    },
    replicate: ({ databaseUrl }, options) =>
      start(hostScript, hostEnvironment(databaseUrl, issuer.oidc), options),
    token: (subject) => issuer.token({ subject }),
    async startBare({ host, databaseUrl, documents }) {
      const path = `/api/documents/trade.sales_invoice/${documents.read[0]?.id}/editor-state`
      const response = await fetch(`${host.url}${path}`, { headers: host.headers })
      const { actions } = (await response.json()) as { readonly actions: unknown }
      const { url } = await start(bareScript, { DATABASE_URL: databaseUrl, ACTIONS: JSON.stringify(actions) })
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

const hostEnvironment = (
  databaseUrl: string,
  oidc: { readonly issuer: string; readonly audience: string },
): Readonly<Record<string, string>> => ({
  DATABASE_URL: databaseUrl,
  PORT: '0',
  LOG_LEVEL: 'warn',
  Oidc__Issuer: oidc.issuer,
  Oidc__Audience: oidc.audience,
  // No benchmark connects to the object store, because the database contains the lists and counts.
  Attachments__Storage__InternalEndpoint: 'http://127.0.0.1:9',
  Attachments__Storage__PublicEndpoint: 'http://127.0.0.1:9',
  Attachments__Storage__AllowInsecureHttp: 'true',
  Attachments__Storage__AccessKey: 'bench',
  Attachments__Storage__SecretKey: 'bench',
})
