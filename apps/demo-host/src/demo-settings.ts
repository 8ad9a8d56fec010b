import { resolve } from 'node:path'
import { type Environment, type EnvironmentReader, readConfiguration } from '@vertical-kit/core-audit/host'
import { type HostConfig, readHost, readPort } from './config.ts'
import { type DemoAddresses, demoEnvironment, embeddedParts } from './demo-environment.ts'

/** The settings of a demo and the configuration of its host. Both are validated before any service starts. */
export interface DemoSettings {
  readonly dataDirectory: string
  readonly identityPort: number
  readonly objectStorePort: number
  /** The lifetime of access tokens from the embedded identity provider. */
  readonly tokenLifetimeSeconds: number
  /** Whether to discard the data of earlier runs. */
  readonly startsEmpty: boolean
  readonly embedded: ReturnType<typeof embeddedParts>
  /** The configuration of the host, with placeholder addresses for services that have not started yet. */
  readonly host: HostConfig
}

/** The minimum of one second allows tests of pages with expired tokens. */
const tokenLifetimeMs = { default: 3_600_000, min: 1_000, max: 86_400_000 } as const

/** Placeholder addresses for validation, which runs before the services start. The real ports are not known yet. */
const standIns: DemoAddresses = {
  databaseUrl: 'postgres://127.0.0.1/demo',
  objectStore: 'http://127.0.0.1',
  issuer: 'http://127.0.0.1',
  mail: 'smtp://127.0.0.1:25',
}

/**
 * Reads and validates the environment and the command line.
 * @throws {ConfigurationError} with all problems
 */
export function readDemoSettings(environment: Environment, argv: readonly string[]): DemoSettings {
  const embedded = embeddedParts(environment)
  return readConfiguration(demoEnvironment(environment, standIns), (env) => ({
    dataDirectory: readDataDirectory(env),
    identityPort: readPort(env, 'IDENTITY_PORT', 8081),
    objectStorePort: readPort(env, 'OBJECT_STORE_PORT', 8082),
    tokenLifetimeSeconds: env.durationMs('DEMO_TOKEN_LIFETIME', tokenLifetimeMs) / 1_000,
    startsEmpty: readReset(env, argv, embedded),
    embedded,
    host: readHost(env),
  }))
}

/** Reads the folder of the data of a demo. */
export const readDataDirectory = (env: EnvironmentReader): string =>
  resolve(env.string('DEMO_DATA_DIR', { default: '.demo' }))

function readReset(
  env: EnvironmentReader,
  argv: readonly string[],
  embedded: DemoSettings['embedded'],
): boolean {
  // `pnpm run demo -- --reset` also passes the separator `--` to this program.
  const options = argv.filter((argument) => argument !== '--')
  for (const option of options) {
    if (option !== '--reset') env.problem(option, 'unknown option; the only option is --reset')
  }
  const isRequested = options.includes('--reset')
  if (isRequested && !embedded.database)
    env.problem('--reset', 'applies only to the embedded database, but DATABASE_URL is set')
  return isRequested
}
