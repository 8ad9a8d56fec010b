import { migrate } from '@vertical-kit/core-audit/database'
import { type Environment, migrationsOf, type RunningHost, startHost } from '@vertical-kit/core-audit/host'
import { readHostConfig } from './config.ts'
import { type DemoAddresses, demoEnvironment, withExternal } from './demo-environment.ts'
import { startDemoServices } from './demo-services.ts'
import type { DemoSettings } from './demo-settings.ts'
import { firstStartIn } from './first-start.ts'
import { composeHost } from './host.ts'
import { buildPage } from './page/build-page.ts'
import { type PageFiles, readPageFiles } from './page/page-files.ts'
import { pageOrigins } from './page-origins.ts'
import { withPort } from './ports.ts'
import { forgetAddresses, storeAddresses } from './running-demo.ts'
import { loadSampleData } from './sample-data/sample-data.ts'

/** Limits how long an unresponsive external service can delay the start. Sample files are small, so 10 s are enough. */
const sampleLimitMs = 10_000

/** PostgreSQL writes all changed pages when it stops. With the grace period of the host, a stop takes less than 10 s. */
const closeLimitMs = 5_500

/** A running demo and the addresses of its services. */
export interface RunningDemo extends DemoAddresses, RunningHost {
  /** The directories with data that persists between runs. */
  readonly dataDirectories: readonly string[]
  readonly closeLimitMs: number
}

/**
 * Starts the embedded services, migrates the database, starts the host, and loads sample data on the first start.
 * @throws {CannotStartError}
 */
export function startDemo(settings: DemoSettings, environment: Environment): Promise<RunningDemo> {
  const { host, port: wanted } = settings.host.server
  const building = preparePage()
  // Choose the port before the store starts, because the store must know which page origins can upload files.
  return withPort(host, wanted, (port) => startOn(port, { settings, environment, building }))
}

interface Start {
  readonly settings: DemoSettings
  readonly environment: Environment
  readonly building: Promise<PageFiles>
}

async function startOn(port: number, { settings, environment, building }: Start): Promise<RunningDemo> {
  const services = await startDemoServices(settings, pageOrigins(settings.host.server.host, port))
  try {
    const known = demoEnvironment({ ...environment, PORT: String(port) }, withExternal(services.addresses))
    const config = readHostConfig(known)
    const { mailServer } = services
    const page = { ...(await building), mails: mailServer?.mails }
    const composed = composeHost(config, page)
    const { directUrl: databaseUrl, password } = config.database
    await migrate({ databaseUrl, password, packs: migrationsOf(composed.modules) })
    const host = await startHost(composed)
    const issuer = config.oidc.issuer
    const limitMs = Math.min(config.attachments.storage?.requestTimeoutMs ?? sampleLimitMs, sampleLimitMs)
    await loadSampleData({ url: host.url, issuer, limitMs }).catch((error: unknown) => {
      // Keep the data that was loaded. The demo also works with incomplete sample data, for example if the store is down.
      console.error(`Not all sample data could be loaded: ${error instanceof Error ? error.message : error}`)
    })
    await firstStartIn(settings.dataDirectory).end()
    const addresses = {
      issuer,
      objectStore: known['Attachments__Storage__InternalEndpoint'] ?? '',
      databaseUrl: config.database.url,
      mail: known['Mail__Host'] ?? '',
    }
    await storeAddresses(settings.dataDirectory, { ...services.addresses, port })
    return {
      ...host,
      ...addresses,
      dataDirectories: services.dataDirectories,
      closeLimitMs,
      async close(options) {
        await forgetAddresses(settings.dataDirectory)
        await host.close(options)
        await services.close()
      },
    }
  } catch (error) {
    await services.close()
    throw error
  }
}

function preparePage(): Promise<PageFiles> {
  const building = buildPage().then(readPageFiles)
  // This handler prevents an unhandled rejection. The caller handles the error when it awaits the returned promise.
  building.catch(() => {})
  return building
}
