import { resolve } from 'node:path'
import { type Environment, type EnvironmentReader, readConfiguration } from '@vertical-kit/core-audit/host'
import { type HostConfig, readHost, readPort } from './config.ts'
import { type DemoAddresses, demoEnvironment, embeddedParts } from './demo-environment.ts'

/** What a demo is told, checked together with everything its host is told. */
export interface DemoSettings {
  readonly dataDirectory: string
  readonly identityPort: number
  readonly objectStorePort: number
  /** How long the embedded identity provider's access tokens last. */
  readonly tokenLifetimeSeconds: number
  /** Whether to throw away what an earlier run kept. */
  readonly startsEmpty: boolean
  readonly embedded: ReturnType<typeof embeddedParts>
  /** With stand-ins for the addresses of the parts that are not started yet. */
  readonly host: HostConfig
}

/** Short ones are for trying out what a page does when they end. */
const tokenLifetimeMs = { default: 3_600_000, min: 1_000, max: 86_400_000 } as const

/** Well-formed, and never called: ports are known once the parts run, but nothing may run before all is checked. */
const standIns: DemoAddresses = {
  databaseUrl: 'postgres://127.0.0.1/demo',
  objectStore: 'http://127.0.0.1',
  issuer: 'http://127.0.0.1',
}

/**
 * Reads the whole environment and the command line.
 * @throws {ConfigurationError} with every problem at once
 */
export function readDemoSettings(environment: Environment, argv: readonly string[]): DemoSettings {
  const embedded = embeddedParts(environment)
  return readConfiguration(demoEnvironment(environment, standIns), (env) => ({
    dataDirectory: resolve(env.string('DEMO_DATA_DIR', { default: '.demo' })),
    identityPort: readPort(env, 'IDENTITY_PORT', 8081),
    objectStorePort: readPort(env, 'OBJECT_STORE_PORT', 8082),
    tokenLifetimeSeconds: env.durationMs('DEMO_TOKEN_LIFETIME', tokenLifetimeMs) / 1_000,
    startsEmpty: readReset(env, argv, embedded),
    embedded,
    host: readHost(env),
  }))
}

function readReset(
  env: EnvironmentReader,
  argv: readonly string[],
  embedded: DemoSettings['embedded'],
): boolean {
  // `pnpm run demo -- --reset` hands the dashes over.
  const options = argv.filter((argument) => argument !== '--')
  for (const option of options) {
    if (option !== '--reset') env.problem(option, 'unknown option; there is --reset')
  }
  const asked = options.includes('--reset')
  if (asked && !embedded.database)
    env.problem('--reset', 'empties the embedded database, but DATABASE_URL is set')
  return asked
}
