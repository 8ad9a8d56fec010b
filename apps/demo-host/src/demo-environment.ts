import type { Environment } from '@vertical-kit/core-audit/host'
import { platformAdministratorRole } from './demo-users.ts'

/** Where the parts a host needs can be reached. */
export interface DemoAddresses {
  readonly databaseUrl: string
  readonly objectStore: string
  readonly issuer: string
}

/** The embedded store's own account. */
const demoStorage = { accessKey: 'demo', secretKey: 'demo-secret-key' } as const

/** Which parts the environment leaves to the demo. A blank value counts as none. */
export function embeddedParts(environment: Environment) {
  return {
    database: !isSet(environment, 'DATABASE_URL'),
    objectStore: !isSet(environment, 'Attachments__Storage__InternalEndpoint'),
    identityProvider: !isSet(environment, 'Oidc__Issuer'),
  }
}

/**
 * The environment of a host that uses the demo's parts: what is set stays, what is not comes from here. So the demo
 * goes through the same parsing and checking of its configuration as any other host. The demo's own credentials,
 * addresses and audience go with its own parts only: what an external part needs has to be set.
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
