import { type DoctorSubject, runDoctorCommand } from '@vertical-kit/core-audit/doctor'
import { ConfigurationError, type Environment } from '@vertical-kit/core-audit/host'
import { readHostConfig } from './config.ts'
import { demoEnvironment, embeddedParts, withExternal } from './demo-environment.ts'
import { readDemoSettings } from './demo-settings.ts'
import './end-on-signal.ts'
import { composeHost } from './host.ts'
import { pageOrigins } from './page-origins.ts'
import { findAddresses, type RunningAddresses } from './running-demo.ts'

process.exitCode = await runDoctorCommand({ argv: process.argv.slice(2), open: () => openHost(process.env) })

/** Composes the host of the environment. Without a database, it is the running demo, with its services. */
async function openHost(environment: Environment): Promise<DoctorSubject> {
  const running = embeddedParts(environment).database ? await runningDemo(environment) : undefined
  const known = running === undefined ? environment : demoEnvironment(environment, withExternal(running))
  const config = readHostConfig(known)
  const own = running === undefined ? [] : pageOrigins(config.server.host, running.port)
  const { database, modules } = composeHost(config)
  return { config: config.database, database, modules, origins: [...own, ...config.realtime.allowedOrigins] }
}

async function runningDemo(environment: Environment): Promise<RunningAddresses> {
  const running = await findAddresses(readDemoSettings(environment, []).dataDirectory)
  if (running !== undefined) return running
  throw new ConfigurationError([
    'No demo is running here: start it with "pnpm demo", or set DATABASE_URL, Oidc__Issuer and the keys of the store',
  ])
}
