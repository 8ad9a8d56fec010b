import { mkdtemp, realpath, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findClosedFolder, type ServerAccount } from './account.ts'
import { openDataDirectory } from './data-directory.ts'
import { createDatabase, databaseUrl, dropDatabase } from './databases.ts'
import { findInstallation } from './installation.ts'
import { releaseDataDirectory } from './orphan.ts'
import { openOwnFolder, ownFolder } from './own-folder.ts'
import { onPort } from './port.ts'
import { type ServerProcess, type StopMode, startServerProcess } from './server-process.ts'

export interface PostgresOptions {
  /**
   * Where the data is kept between runs, with durable commits. Without it the data is temporary: commits do not
   * wait for the disk, and everything is removed when the server is stopped or this process ends.
   */
  readonly directory?: string
  /** 0 or none: a free one. */
  readonly port?: number
  /** The folder of another installation's programs, such as `/usr/lib/postgresql/15/bin`. */
  readonly binaries?: string
  /** Server settings by name, over the ones made here. */
  readonly settings?: Readonly<Record<string, string>>
  /** Receives the server's log, line by line. */
  readonly log?: (line: string) => void
}

/** A running PostgreSQL server on 127.0.0.1 that ends with this process, whichever way this process ends. */
export interface PostgresServer {
  /** Such as `18.4`. */
  readonly version: string
  readonly port: number
  /** The superuser's URL of the database `postgres`. */
  readonly adminUrl: string
  /**
   * The absolute path of the folder that holds the data: `directory`, or a folder below `/var/lib` when the caller is
   * root and the server's account cannot enter `directory`.
   */
  readonly directory: string
  /** The superuser's URL of the named database. */
  url(databaseName: string): string
  createDatabase(name: string, options?: { readonly template?: string }): Promise<void>
  /** Drops a database and the sessions in it; one that does not exist is no error. */
  dropDatabase(name: string): Promise<void>
  /** Stops the server (default `fast`), runs `whileDown`, and starts it again: same port, same data. */
  restart(options?: { readonly mode?: StopMode; readonly whileDown?: () => Promise<unknown> }): Promise<void>
  /** Ends the server; temporary data is removed. Repeats are harmless. */
  stop(mode?: StopMode): Promise<void>
}

// The machine's crash may lose temporary data; the server's does not, as every commit is handed to the system.
const temporarySettings = { fsync: 'off', full_page_writes: 'off' }
const memoryNeededBytes = 4 * 1024 ** 3
const testConnections = { max_connections: '200' }

/**
 * Starts a real PostgreSQL server: TCP on 127.0.0.1 only, UTF-8, C locale, time zone UTC, a password of its own.
 * Data kept in a `directory` survives a killed run: a server left behind is stopped first.
 * Run by root, the server has an account of its own. What that account cannot enter is used from a folder below
 * `/var/lib` instead: a copy of the bundled programs, and the data.
 *
 * @throws Error when the port is taken, the directory is in use by a living process, or the server does not start
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const installation = await findInstallation(options.binaries)
  const temporary = options.directory === undefined
  const directory =
    options.directory ??
    (await mkdtemp(join(await temporaryParent(installation.account), 'dev-services-postgres-')))
  const removeData = async () => {
    if (temporary) await rm(directory, { recursive: true, force: true })
  }
  try {
    const data = await openDataDirectory(installation, directory, temporary ? ['--no-sync'] : [])
    const start = async (port: number) => {
      await releaseDataDirectory(data.path)
      return startServerProcess({
        installation,
        dataPath: data.path,
        port,
        settings: { ...testConnections, ...(temporary ? temporarySettings : {}), ...options.settings },
        log: options.log ?? (() => {}),
        removeOnDeath: temporary ? directory : undefined,
      })
    }
    const { port, started: server } = await onPort(options.port ?? 0, start)
    const adminUrl = `postgres://postgres:${data.password}@127.0.0.1:${port}/postgres`
    return {
      version: installation.version,
      port,
      directory: data.folder,
      ...databasesAt(adminUrl),
      ...lifetime(server, { start: () => start(port), removeData }),
    }
  } catch (error) {
    await removeData()
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
  actions: { start(): Promise<ServerProcess>; removeData(): Promise<void> },
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
      await actions.removeData()
    },
  }
}

/** In memory where there is plenty of it: a copied database is there in 6 ms, on a disk in 100. */
async function temporaryParent(account: ServerAccount | undefined): Promise<string> {
  const memory = '/dev/shm'
  const space = await statfs(memory).catch(() => undefined)
  const parent = space && space.bavail * space.bsize >= memoryNeededBytes ? memory : tmpdir()
  const isClosed = account !== undefined && (await findClosedFolder(await realpath(parent), account))
  return isClosed ? openOwnFolder(ownFolder()) : parent
}
