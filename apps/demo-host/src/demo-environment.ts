import type { Environment } from '@vertical-kit/core-audit/host'
import { platformAdministratorRole } from './demo-users.ts'

/** The addresses of the services that a host needs. */
export interface DemoAddresses {
  readonly databaseUrl: string
  readonly objectStore: string
  readonly issuer: string
  /** The mail server, such as `smtp://127.0.0.1:2525`. */
  readonly mail: string
}

/** Adds placeholders for external services. The host ignores them and uses the addresses from the environment. */
export const withExternal = (embedded: Partial<DemoAddresses>): DemoAddresses => ({
  ...{ databaseUrl: '', objectStore: '', issuer: '', mail: '' },
  ...embedded,
})

/** The credentials of the embedded object store. */
const demoStorage = { accessKey: 'demo', secretKey: 'demo-secret-key' } as const

/** Returns which services are embedded. A service is embedded if the key of its address is missing or blank. */
export function embeddedParts(environment: Environment) {
  return {
    database: !isSet(environment, 'DATABASE_URL'),
    objectStore: !isSet(environment, 'Attachments__Storage__InternalEndpoint'),
    identityProvider: !isSet(environment, 'Oidc__Issuer'),
    mail: !isSet(environment, 'Mail__Host'),
  }
}

/**
 * Returns the environment with defaults for the keys that are missing or blank. The demo then parses and checks this
 * environment like any other host. Addresses, credentials and the audience have defaults only for embedded services. For
 * external services, the environment must contain them.
 */
export function demoEnvironment(environment: Environment, addresses: DemoAddresses): Environment {
  const embedded = embeddedParts(environment)
  const standard: Environment = {
    FeatureManagement__Attachments: 'true',
    FeatureManagement__Notes: 'true',
    // A demo has no load balancer that needs time to notice its end.
    SHUTDOWN_DELAY: '00:00:00',
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
    ...(embedded.mail && URL.canParse(addresses.mail) && demoMail(environment, new URL(addresses.mail))),
  }
  const missing = Object.entries(standard).filter(([key]) => !isSet(environment, key))
  return { ...environment, ...Object.fromEntries(missing) }
}

/** The link in a mail leads to this machine, and its secret can be public like the demo's passwords. */
const demoMail = ({ PORT = '' }: Environment, server: URL): Environment => ({
  Mail__Host: server.hostname,
  Mail__Port: server.port,
  Mail__Security: 'None',
  Mail__From: 'demo@example.com',
  Mail__FromName: 'Vertical Kit demo',
  // An invalid port is reported as such, and not a second time as part of this address.
  Mail__PublicUrl: `http://127.0.0.1:${Number(PORT) > 0 && Number(PORT) < 65_536 ? Number(PORT) : 8080}`,
  Mail__UnsubscribeSecret: 'the public secret of the demo host',
})

/** Returns whether a key is set, directly or with a file. */
export const isSet = (environment: Environment, key: string): boolean =>
  [key, `${key}_FILE`].some((name) => (environment[name] ?? '').trim() !== '')
