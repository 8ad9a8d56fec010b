import type { OidcConfig } from './config.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import type { Tokens } from './tokens.ts'
import { createTokenVerifier } from './verify-token.ts'

export interface OidcTokensOptions {
  /** The clock tokens expire by; `Date.now` when absent. */
  readonly now?: () => number
}

/**
 * OpenID Connect access tokens (JWT), verified against the issuer's published keys. The health report shows whether
 * the issuer can be reached, as `identityProvider`.
 */
export function oidcTokens(oidc: OidcConfig, { now = Date.now }: OidcTokensOptions = {}): Tokens {
  const keys = createIssuerKeys({ issuer: oidc.issuer, now })
  const verify = createTokenVerifier({ oidc, keys, now })
  return {
    async verify(token) {
      const { roles, ...verified } = await verify(token)
      return { ...verified, isAdministrator: roles.includes(oidc.administratorRole) }
    },
    health: [
      {
        name: 'identityProvider',
        async check() {
          await keys.reach()
          return { status: 'Healthy' }
        },
      },
    ],
  }
}
