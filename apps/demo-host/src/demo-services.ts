import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StorageConfig } from '@vertical-kit/attachments'
import {
  type PostgresServer,
  removePostgresData,
  startIdentityProvider,
  startObjectStore,
  startPostgres,
} from '@vertical-kit/dev-services'
import { CannotStartError } from './cannot-start-error.ts'
import type { DemoAddresses } from './demo-environment.ts'
import { type DemoMailServer, startDemoMail } from './demo-mail.ts'
import type { DemoSettings } from './demo-settings.ts'
import { demoAccounts } from './demo-users.ts'
import { type FirstStart, firstStartIn } from './first-start.ts'
import { demoPageClient } from './page/page-client.ts'
import { onPort } from './ports.ts'

/** The running embedded services. */
export interface DemoServices {
  /** The addresses of the embedded services, without the addresses of external services. */
  readonly addresses: Partial<DemoAddresses>
  /** The directories with persistent data. If the user of PostgreSQL cannot enter the data directory, there are two. */
  readonly dataDirectories: readonly string[]
  /** Undefined if the mail server is external. */
  readonly mailServer: DemoMailServer | undefined
  close(): Promise<void>
}

const databaseName = 'vertical_kit'

/**
 * Starts the services that the environment does not configure, with the data of the previous run. If a service fails to
 * start, the function stops the services that are already running.
 *
 * @throws {CannotStartError}
 */
export async function startDemoServices(
  settings: DemoSettings,
  pageOrigins: readonly string[],
): Promise<DemoServices> {
  const { embedded, dataDirectory } = settings
  const running: (() => Promise<void>)[] = []
  const close = async () => {
    for (const stop of running.reverse()) await stop()
  }
  try {
    await openDataDirectory(dataDirectory)
    const dataDirectories = [dataDirectory]
    const addresses: { -readonly [Part in keyof DemoAddresses]?: string } = {}
    if (embedded.database) {
      // Start PostgreSQL first: if another demo uses the data directory, PostgreSQL fails before we delete any data.
      const firstStart = firstStartIn(dataDirectory)
      const startsEmpty = settings.startsEmpty || (await firstStart.isInterrupted())
      const server = await startDatabase({ directory: join(dataDirectory, 'postgres'), startsEmpty })
      running.push(() => server.stop())
      addresses.databaseUrl = await openDatabase(server, firstStart)
      if (dirname(server.directory) !== (await realpath(dataDirectory))) {
        dataDirectories.push(server.directory)
      }
    }
    if (embedded.objectStore) {
      const store = await openObjectStore(settings, pageOrigins)
      running.push(() => store.close())
      addresses.objectStore = store.url
    }
    if (embedded.identityProvider) {
      const provider = await openIdentityProvider(settings)
      running.push(() => provider.close())
      addresses.issuer = provider.issuer
    }
    const mailServer = embedded.mail ? await startDemoMail() : undefined
    if (mailServer !== undefined) {
      running.push(() => mailServer.close())
      addresses.mail = mailServer.url
    }
    return { addresses, dataDirectories, mailServer, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openDataDirectory(path: string): Promise<void> {
  try {
    await makeFolder(path)
    // If this process runs as root, PostgreSQL runs as another user, and that user must be able to traverse this directory.
    if (process.getuid?.() === 0) await chmod(path, (await stat(path)).mode | 0o011)
  } catch (cause) {
    const code = Reflect.get(Object(cause), 'code')
    throw new CannotStartError(`DEMO_DATA_DIR: this folder cannot be used (${code}). Change DEMO_DATA_DIR.`, {
      cause,
    })
  }
}

/** Creates a folder and its parents. With `recursive`, Node never ends in `/proc`, where a folder exists but accepts no other. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  await mkdir(path).catch(async (error: unknown) => {
    const existing = await stat(path).catch(() => undefined)
    if (existing?.isDirectory() !== true) throw error
  })
}

interface Start {
  readonly directory: string
  readonly startsEmpty: boolean
}

async function startDatabase({ directory, startsEmpty }: Start): Promise<PostgresServer> {
  try {
    if (startsEmpty) await removePostgresData(directory)
    return await startPostgres({ directory, restartsAfterCrash: true, log: printRestart })
  } catch (error) {
    // The message describes the cause: the data is in use, access was denied, or the last lines that the server printed.
    throw error instanceof Error ? new CannotStartError(error.message, { cause: error }) : error
  }
}

/** Prints a line about a restart after a crash. The log of the server itself does not concern users of the demo. */
function printRestart(line: string, source: string): void {
  if (source === 'dev-services') console.error(line)
}

async function openDatabase(server: PostgresServer, firstStart: FirstStart): Promise<string> {
  try {
    await server.createDatabase(databaseName)
    await firstStart.begin()
  } catch (error) {
    // SQLSTATE 42P04 means that the database already exists. We reuse it.
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== '42P04') throw error
  }
  return server.url(databaseName)
}

async function openObjectStore(settings: DemoSettings, pageOrigins: readonly string[]) {
  const { dataDirectory, startsEmpty, objectStorePort: port, host } = settings
  const directory = join(dataDirectory, 'object-store')
  const { bucket, region, accessKey, secretKey } = host.attachments.storage ?? idleStorage
  return onPort('OBJECT_STORE_PORT', port, () =>
    startObjectStore({
      directory,
      startsEmpty,
      port,
      region,
      buckets: [bucket],
      credentials: [{ accessKeyId: accessKey, secretAccessKey: secretKey }],
      corsOrigins: pageOrigins,
    }),
  )
}

/** Placeholder values while attachments are off. The host then reads no store configuration and sends no requests. */
const idleStorage: Pick<StorageConfig, 'bucket' | 'region' | 'accessKey' | 'secretKey'> = {
  bucket: 'vertical-kit-attachments',
  region: 'us-east-1',
  accessKey: 'demo',
  secretKey: 'demo-secret-key',
}

function openIdentityProvider(settings: DemoSettings) {
  const { dataDirectory, identityPort: port, tokenLifetimeSeconds, host } = settings
  return onPort('IDENTITY_PORT', port, () =>
    startIdentityProvider({
      port,
      audience: host.oidc.audience,
      users: demoAccounts,
      pages: [demoPageClient],
      accessTokenLifetimeSeconds: tokenLifetimeSeconds,
      scriptClientIds: ['demo-cli'],
      directory: join(dataDirectory, 'identity-provider'),
    }),
  )
}
