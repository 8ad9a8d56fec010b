import { createApplication } from '@vertical-kit/core-audit/host'
import { createIdentity, type OidcConfig, oidcTokens } from '@vertical-kit/core-audit/identity'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { administratorRoleCode, type SecurityHost, trade } from './harness.ts'

/** Returns a function that sends requests with a token to a second host over the same database, with these issuers. */
export function tokenHost({ database, outbox }: SecurityHost, oidc: OidcConfig) {
  const identity = createIdentity({
    ...{ database, outbox, modules: [trade], tokens: oidcTokens(oidc, database.clock) },
    administratorRoleCodes: [administratorRoleCode],
  })
  const { authenticate } = identity
  const { logger, lines } = captureLog()
  const app = createApplication({ title: 'Host', authenticate, database, modules: [identity], logger })
  return {
    app,
    lines,
    request: async (token: string, path = '/api/security/me/access', init: RequestInit = {}) =>
      app.request(path, {
        ...init,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      }),
  }
}
