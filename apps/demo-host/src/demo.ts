import { migrate } from '@vertical-kit/core-audit/database'
import { type Environment, migrationsOf, startHost } from '@vertical-kit/core-audit/host'
import { readHostConfig } from './config.ts'
import { type DemoAddresses, demoEnvironment } from './demo-environment.ts'
import { startDemoServices } from './demo-services.ts'
import type { DemoSettings } from './demo-settings.ts'
import { composeHost } from './host.ts'
import { buildPage } from './page/build-page.ts'
import { type PageFiles, readPageFiles } from './page/page-files.ts'
import { findPort, onPort } from './ports.ts'
import { loadSampleData } from './sample-data/sample-data.ts'

/** The longest that the ready line waits for an external part that does not answer. Sample files are small. */
const sampleLimitMs = 10_000

/** A running demo, and where its parts are. */
export interface RunningDemo extends DemoAddresses {
  readonly url: string
  /** The folders that hold what is kept between runs. */
  readonly dataDirectories: readonly string[]
  close(): Promise<void>
}

/**
 * Starts the embedded parts, brings the database up to date, starts the host, and on the first start fills it.
 * @throws {CannotStartError}
 */
export async function startDemo(settings: DemoSettings, environment: Environment): Promise<RunningDemo> {
  const { host: address } = settings.host.server
  const wanted = settings.host.server.port
  // Found before the store starts: it takes uploads from pages of this origin only.
  const port = await onPort('PORT', wanted, () => findPort(address, wanted))
  const building = preparePage()
  const services = await startDemoServices(settings, pageOrigins(address, port))
  try {
    const known = demoEnvironment(
      { ...environment, PORT: String(port) },
      { ...unused, ...services.addresses },
    )
    const config = readHostConfig(known)
    const composed = composeHost(config, await building)
    await migrate({ databaseUrl: config.database.url, packs: migrationsOf(composed.modules) })
    const host = await onPort('PORT', port, () => startHost(composed))
    const issuer = config.oidc.issuer
    const limitMs = Math.min(config.attachments.storage?.requestTimeoutMs ?? sampleLimitMs, sampleLimitMs)
    await loadSampleData({ url: host.url, issuer, limitMs }).catch((error: unknown) => {
      // What was loaded stays, and the demo works without the rest: an issuer of another kind, a store that is down.
      console.error(`Not all sample data could be loaded: ${error instanceof Error ? error.message : error}`)
    })
    return {
      url: host.url,
      issuer,
      objectStore: known['Attachments__Storage__InternalEndpoint'] ?? '',
      databaseUrl: config.database.url,
      dataDirectories: services.dataDirectories,
      async close() {
        await host.close()
        await services.close()
      },
    }
  } catch (error) {
    await services.close()
    throw error
  }
}

/** Builds the page while the other parts start. */
function preparePage(): Promise<PageFiles> {
  const building = buildPage().then(readPageFiles)
  // Heard of when it is awaited, unless a part that did not start ends the demo first.
  building.catch(() => {})
  return building
}

/** Parts that were not started are named by the environment, which comes first. */
const unused: DemoAddresses = { databaseUrl: '', objectStore: '', issuer: '' }

/** The origins a browser on this machine may show the page under. */
function pageOrigins(host: string, port: number): readonly string[] {
  return [...new Set(['127.0.0.1', 'localhost', host])]
    .map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
    .filter((origin) => URL.canParse(origin))
    .map((origin) => new URL(origin).origin)
}
