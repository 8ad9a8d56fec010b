import type { OidcConfig } from './config.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import type { Tokens } from './tokens.ts'
import { createTokenVerifier } from './verify-token.ts'

export interface OidcTokensOptions {
  /** The clock for the expiry of tokens; `Date.now` when absent. */
  readonly now?: () => number
}

/**
 * Verifies OpenID Connect access tokens (JWT) against the issuer's published keys. The entry `identityProvider` of the
 * health report shows whether the issuer can be reached.
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
