import { mkdtemp, realpath, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findClosedFolder, type ServerAccount } from './account.ts'
import { openDataDirectory } from './data-directory.ts'
import { createDatabase, databaseUrl, dropDatabase } from './databases.ts'
import { findInstallation } from './installation.ts'
import { keepRunning } from './keep-running.ts'
import { releaseDataDirectory } from './orphan.ts'
import { openOwnFolder, ownFolder } from './own-folder.ts'
import { onPort } from './port.ts'
import { type ServerProcess, type StopMode, startServerProcess } from './server-process.ts'
import { startWatchdog } from './watchdog.ts'

/** All are optional. By default, the server is temporary and listens on a free port of 127.0.0.1. */
export interface PostgresOptions {
  /**
   * The folder that keeps the data between runs; commits are durable. Without it, the data is temporary: commits do not
   * wait for the disk, and all data is removed when the server is stopped or this process ends.
   */
  readonly directory?: string
  /** The port. Default: 0, which selects a free port. */
  readonly port?: number
  /** The program folder of another installation, such as `/usr/lib/postgresql/15/bin`. */
  readonly binaries?: string
  /** Server settings by name; they override the defaults of this module. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Starts the server again, with the same port and data, if its process ends without `stop` or `restart`, for example
   * because it was killed. PostgreSQL recovers all committed data. Default: false.
   */
  readonly restartsAfterCrash?: boolean
  /**
   * Receives the server's log, line by line. If `restartsAfterCrash` is set, also receives one line with the source
   * `dev-services` after each crash: the server was started again, or all attempts failed and why.
   */
  readonly log?: (line: string, source: 'postgres' | 'dev-services') => void
}

/** A running PostgreSQL server on 127.0.0.1. It stops when this process ends, even if the process is killed. */
export interface PostgresServer {
  /** The version of the server, such as `18.4`. */
  readonly version: string
  readonly port: number
  /** The superuser URL of the database `postgres`. */
  readonly adminUrl: string
  /**
   * The absolute path of the data folder: `directory`, or a folder below `/var/lib` if this process runs as root and
   * the server's account cannot enter `directory`.
   */
  readonly directory: string
  /** Returns the superuser URL of a database. */
  url(databaseName: string): string
  createDatabase(name: string, options?: { readonly template?: string }): Promise<void>
  /** Drops a database and ends its sessions. Does nothing if the database does not exist. */
  dropDatabase(name: string): Promise<void>
  /** Stops the server (default `fast`), runs `whileDown` and starts the server again with the same port and data. */
  restart(options?: { readonly mode?: StopMode; readonly whileDown?: () => Promise<unknown> }): Promise<void>
  /** Stops the server and removes temporary data. Repeated calls are allowed. */
  stop(mode?: StopMode): Promise<void>
}

// Temporary data survives a crash of this process, because the operating system receives every commit.
const temporarySettings = { fsync: 'off', full_page_writes: 'off' }
const memoryNeededBytes = 4 * 1024 ** 3
const testConnections = { max_connections: '200' }

/**
 * Starts a real PostgreSQL server. It listens only on 127.0.0.1 and uses UTF-8, the C locale, UTC and a random password.
 * Data in a `directory` survives a killed run; the next start stops the orphaned server first.
 * If this process runs as root, the server runs under another account. If that account cannot enter the folder of the
 * bundled programs or of the data, a folder below `/var/lib` replaces it.
 *
 * @throws Error if the port is in use, a running process uses the directory, or the server does not start
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const installation = await findInstallation(options.binaries)
  const temporary = options.directory === undefined
  const directory =
    options.directory ??
    (await mkdtemp(join(await temporaryParent(installation.account), 'dev-services-postgres-')))
  const watchdog = startWatchdog(temporary ? directory : undefined)
  const cleanUp = async () => {
    await watchdog.end()
    if (temporary) await rm(directory, { recursive: true, force: true })
  }
  try {
    const data = await openDataDirectory(installation, directory, temporary ? ['--no-sync'] : [])
    const { restartsAfterCrash = false, log = () => {} } = options
    const startOnce = async (port: number) => {
      await releaseDataDirectory(data.path)
      return startServerProcess({
        installation,
        dataPath: data.path,
        port,
        settings: { ...testConnections, ...(temporary ? temporarySettings : {}), ...options.settings },
        log: (line) => log(line, 'postgres'),
        watchdog,
      })
    }
    const start = async (port: number) => {
      const server = await startOnce(port)
      if (!restartsAfterCrash) return server
      return keepRunning(server, { start: () => startOnce(port), log: (line) => log(line, 'dev-services') })
    }
    const { port, started: server } = await onPort(options.port ?? 0, start)
    const adminUrl = `postgres://postgres:${data.password}@127.0.0.1:${port}/postgres`
    return {
      version: installation.version,
      port,
      directory: data.folder,
      ...databasesAt(adminUrl),
      ...lifetime(server, { start: () => start(port), cleanUp }),
    }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

function databasesAt(adminUrl: string) {
  return {
    adminUrl,
    url: (name: string) => databaseUrl(adminUrl, name),
    createDatabase: (name: string, options?: { readonly template?: string }) =>
      createDatabase(adminUrl, name, options),
    dropDatabase: (name: string) => dropDatabase(adminUrl, name),
  }
}

function lifetime(
  first: ServerProcess,
  actions: { start(): Promise<ServerProcess>; cleanUp(): Promise<void> },
): Pick<PostgresServer, 'restart' | 'stop'> {
  let server: ServerProcess | undefined = first
  const stopServer = async (mode: StopMode) => {
    await server?.stop(mode)
    server = undefined
  }
  return {
    async restart({ mode = 'fast', whileDown } = {}) {
      await stopServer(mode)
      try {
        await whileDown?.()
      } finally {
        server = await actions.start()
      }
    },
    async stop(mode = 'fast') {
      await stopServer(mode)
      await actions.cleanUp()
    },
  }
}

/** Prefers memory if enough is free, because copying a database takes 6 ms there, but 100 ms on a disk. */
async function temporaryParent(account: ServerAccount | undefined): Promise<string> {
  const memory = '/dev/shm'
  const space = await statfs(memory).catch(() => undefined)
  const parent = space && space.bavail * space.bsize >= memoryNeededBytes ? memory : tmpdir()
  const isClosed = account !== undefined && (await findClosedFolder(await realpath(parent), account))
  return isClosed ? openOwnFolder(ownFolder()) : parent
}
