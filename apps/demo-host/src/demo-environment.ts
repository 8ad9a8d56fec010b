import type { Environment } from '@vertical-kit/core-audit/host'
import { platformAdministratorRole } from './demo-users.ts'

/** The addresses of the services that a host needs. */
export interface DemoAddresses {
  readonly databaseUrl: string
  readonly objectStore: string
  readonly issuer: string
}

/** The credentials of the embedded object store. */
const demoStorage = { accessKey: 'demo', secretKey: 'demo-secret-key' } as const

/** Returns which services the environment does not configure. Blank values count as unset. */
export function embeddedParts(environment: Environment) {
  return {
    database: !isSet(environment, 'DATABASE_URL'),
    objectStore: !isSet(environment, 'Attachments__Storage__InternalEndpoint'),
    identityProvider: !isSet(environment, 'Oidc__Issuer'),
  }
}

/**
 * Adds defaults for the demo to the environment of its host, without changing existing values. The demo then parses and
 * checks its configuration like any other host. Default addresses, credentials and audience apply to embedded services
 * only; external services must be configured explicitly.
 */
export function demoEnvironment(environment: Environment, addresses: DemoAddresses): Environment {
  const embedded = embeddedParts(environment)
  const standard: Environment = {
    FeatureManagement__Attachments: 'true',
    FeatureManagement__Notes: 'true',
    ...(embedded.database && { DATABASE_URL: addresses.databaseUrl }),
    ...(embedded.identityProvider && {
      Oidc__Issuer: addresses.issuer,
      Oidc__Audience: 'vertical-kit',
      Oidc__AdministratorRole: platformAdministratorRole,
    }),
    ...(embedded.objectStore && {
      Attachments__Storage__InternalEndpoint: addresses.objectStore,
      Attachments__Storage__PublicEndpoint: addresses.objectStore,
      Attachments__Storage__AccessKey: demoStorage.accessKey,
      Attachments__Storage__SecretKey: demoStorage.secretKey,
      Attachments__Storage__AllowInsecureHttp: 'true',
    }),
  }
  const missing = Object.entries(standard).filter(([key]) => !isSet(environment, key))
  return { ...environment, ...Object.fromEntries(missing) }
}

const isSet = (environment: Environment, key: string): boolean => (environment[key] ?? '').trim() !== ''
