import type { DatabaseClock } from '../database/database-clock.ts'
import type { OidcConfig } from './config.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import type { Tokens } from './tokens.ts'
import { createTokenVerifier } from './verify-token.ts'

/**
 * Verifies OpenID Connect access tokens (JWT) against the issuer's published keys. The entry `identityProvider` of the
 * health report shows whether the issuer can be reached. `clock` decides whether a token has expired: pass
 * `database.clock`, so that all hosts decide the same, even if the clock of a host is wrong.
 */
export function oidcTokens(oidc: OidcConfig, clock: Pick<DatabaseClock, 'now'>): Tokens {
  const { now } = clock
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
