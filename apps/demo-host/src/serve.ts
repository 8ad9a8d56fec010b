/**
 * Serves the host with the services that the environment names. In contrast to the demo, it starts no service, applies no
 * migration and loads no sample data: this is how a deployment runs the host.
 */
import { startHost } from '@vertical-kit/core-audit/host'
import { readHostConfig } from './config.ts'
import { composeHost } from './host.ts'
import { buildPage } from './page/build-page.ts'
import { readPageFiles } from './page/page-files.ts'
import { exitWithin, reportFailure, stopSignal } from './process-life.ts'

try {
  const stopped = stopSignal()
  const config = readHostConfig(process.env)
  const host = await startHost(composeHost(config, await readPageFiles(await buildPage())))
  await stopped
  exitWithin(config.server.shutdownDelayMs ?? 0)
  await host.close()
  process.exit(0)
} catch (error) {
  process.exit(reportFailure(error))
}
