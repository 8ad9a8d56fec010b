/**
 * Serves the host with the services that the environment names. In contrast to the demo, it starts no service, applies no
 * migration and loads no sample data: this is how a deployment runs the host.
 */
import { runHost, startHost } from '@vertical-kit/core-audit/host'
import { readHostConfig } from './config.ts'
import { composeHost } from './host.ts'
import { buildPage } from './page/build-page.ts'
import { readPageFiles } from './page/page-files.ts'

await runHost(async () => {
  const config = readHostConfig(process.env)
  return startHost(composeHost(config, await readPageFiles(await buildPage())))
})
