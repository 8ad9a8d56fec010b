import type { EnvironmentReader } from '../host/environment.ts'

/** The accepted access tokens and the claims that grant roles. */
export interface OidcConfig {
  readonly issuer: string
  readonly audience: string
  /**
   * The claim with the identity provider's roles: a name, or a path such as `realm_access.roles`. Its value is an array of
   * strings or one string.
   */
  readonly rolesClaim: string
  /** The identity provider's role that grants everything, with or without a user record. */
  readonly administratorRole: string
}

/** Reads `Oidc__Issuer` and `Oidc__Audience` (required), `Oidc__RolesClaim` (`roles`), `Oidc__AdministratorRole`. */
export function readOidcConfig(env: EnvironmentReader): OidcConfig {
  const issuer = env.required('Oidc__Issuer')
  if (issuer !== '' && !isIssuer(issuer)) env.problem('Oidc__Issuer', 'expected an http(s) address')
  return {
    issuer,
    audience: env.required('Oidc__Audience'),
    rolesClaim: env.string('Oidc__RolesClaim', { default: 'roles' }),
    administratorRole: env.string('Oidc__AdministratorRole', { default: 'platform-admin' }),
  }
}

/**
 * Checks that an issuer has a scheme and a host but no query and no fragment (OpenID Connect Core 1.0 §2). Credentials in
 * an issuer are refused, because they would be logged.
 */
function isIssuer(text: string): boolean {
  const url = /^https?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === ''
}
