import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { type Configuration, errors, interactionPolicy, type ResourceServer } from 'oidc-provider'
import type { Accounts } from './accounts.ts'
import { clientMetadata } from './client-metadata.ts'
import { createMemoryAdapter } from './memory-adapter.ts'
import { isPageOrigin, type PageClient } from './page-client.ts'
import { errorPage, pageHeaders } from './sign-in-page.ts'
import { signInPath } from './sign-in-path.ts'

export interface ProviderSettings {
  readonly audience: string
  readonly accessTokenLifetimeSeconds: number
  readonly accounts: Accounts
  readonly pages: readonly PageClient[]
  readonly scriptClientIds: readonly string[]
  readonly signingJwk: JWK
}

const hourSeconds = 3600
const daySeconds = 24 * hourSeconds

/**
 * The only resource for which the provider issues tokens. A resource must be an absolute URI (RFC 8707 §2), so an
 * audience like `vertical-kit` cannot be one. Clients need not request the default resource. `aud` is the audience.
 */
export const resource = 'urn:dev-services:resource'

/** Configures JWT access tokens (RFC 9068) for the audience. Without a resource, access tokens would be opaque. */
export function resourceServer(settings: ProviderSettings): ResourceServer {
  return {
    scope: '',
    audience: settings.audience,
    accessTokenTTL: settings.accessTokenLifetimeSeconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }
}

/** Returns the settings of oidc-provider for local use: no consent, required PKCE, state in memory, one resource. */
export function providerConfiguration(settings: ProviderSettings): Configuration {
  const { accounts, pages } = settings
  return {
    adapter: createMemoryAdapter,
    clients: clientMetadata(pages, settings.scriptClientIds),
    clientBasedCORS: (_ctx, origin, client) =>
      isPageOrigin(
        pages.find(({ clientId }) => clientId === client.clientId),
        origin,
      ),
    jwks: { keys: [settings.signingJwk] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    pkce: { required: () => true },
    ...userClaims(accounts),
    ...signIn(),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    renderError: (ctx, out) => {
      const page = errorPage(out.error_description ?? out.error)
      ctx.set(pageHeaders(page))
      ctx.body = page.html
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      // Pages revoke their tokens when the user signs out (RFC 7009).
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, requested) => {
          if (requested !== resource) throw new errors.InvalidTarget()
          return resourceServer(settings)
        },
      },
    },
    ttl: {
      AccessToken: settings.accessTokenLifetimeSeconds,
      IdToken: hourSeconds,
      Interaction: hourSeconds,
      RefreshToken: daySeconds,
      Session: daySeconds,
      Grant: daySeconds,
    },
  }
}

function userClaims(accounts: Accounts): Configuration {
  return {
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name', 'roles'], email: ['email'] },
    // ID tokens contain these claims, so clients need no userinfo request.
    conformIdTokenClaims: false,
    findAccount: (_ctx, username) => {
      const claims = accounts.claims(username)
      return claims && { accountId: username, claims: () => ({ ...claims }) }
    },
    extraTokenClaims: (_ctx, token) => {
      const claims = 'accountId' in token ? accounts.claims(token.accountId) : undefined
      return claims && { email: claims.email, name: claims.name, roles: claims.roles }
    },
  }
}

function signIn(): Configuration {
  const policy = interactionPolicy.base()
  // The provider never requests the user's consent: clients receive every scope that they request.
  policy.get('consent')?.checks.remove('native_client_prompt')
  return {
    interactions: { policy, url: (_ctx, { uid, params }) => signInPath(uid, String(params['redirect_uri'])) },
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, params } = oidc
      if (!client || !session?.accountId) return undefined
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope(String(params?.['scope'] ?? 'openid'))
      await grant.save()
      return grant
    },
  }
}
