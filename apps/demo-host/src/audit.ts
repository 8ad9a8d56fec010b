import { runAuditCommand } from '@vertical-kit/core-audit/audit'
import type { Environment } from '@vertical-kit/core-audit/host'
import { embeddedParts } from './demo-environment.ts'
import { readDemoSettings } from './demo-settings.ts'
import { operatorName } from './operator-name.ts'
import { findAddresses } from './running-demo.ts'

process.exitCode = await runAuditCommand({
  argv: process.argv.slice(2),
  environment: await withRunningDemo(process.env),
  operator: operatorName(),
})

/** Adds the database of the running demo, unless the environment names one. */
async function withRunningDemo(environment: Environment): Promise<Environment> {
  if (!embeddedParts(environment).database) return environment
  const running = await findAddresses(readDemoSettings(environment, []).dataDirectory)
  return running?.databaseUrl === undefined
    ? environment
    : { ...environment, DATABASE_URL: running.databaseUrl }
}
