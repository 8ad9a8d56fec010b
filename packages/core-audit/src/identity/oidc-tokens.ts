import type { DatabaseClock } from '../database/database-clock.ts'
import { CoreError } from '../errors.ts'
import type { HealthCheck } from '../host/health.ts'
import { codePointCount } from '../http/contract.ts'
import type { OidcConfig, OidcIssuer } from './config.ts'
import { userLimits } from './contract.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { claimedIssuer } from './token-claims.ts'
import type { Principal, Tokens } from './tokens.ts'
import { createTokenVerifier } from './verify-token.ts'

/**
 * Verifies OpenID Connect access tokens (JWT) against the published keys of their issuer. Each issuer grants roles only
 * through its own role map, and its subjects are separate users. The entry `identityProvider` of the health report shows
 * whether the issuer can be reached; further issuers have the entries `identityProvider.<name>`. `clock` decides whether a
 * token has expired: pass `database.clock`, so that all hosts decide the same, even if the clock of a host is wrong.
 */
export function oidcTokens(oidc: OidcConfig, clock: Pick<DatabaseClock, 'now'>): Tokens {
  const { now } = clock
  const first = createIssuer(oidc, { now })
  const further = [...oidc.furtherIssuers].map(([name, issuer]) => createIssuer(issuer, { now, name }))
  const byIssuer = new Map([first, ...further].map((each) => [each.issuer, each]))
  return {
    // With one issuer, its verifier checks the claim `iss`.
    verify: (token) => (further.length === 0 ? first : issuerOf(token, byIssuer)).verify(token),
    health: [first, ...further].map(({ health }) => health),
    doctor: async () => (await import('../doctor/identity-checks.ts')).identityChecks(oidc),
  }
}

interface Issuer {
  readonly issuer: string
  readonly health: HealthCheck
  verify(token: string): Promise<Principal>
}

/** Selects the verifier by the unverified claim `iss`. The verifier then checks that this issuer signed the token. */
function issuerOf(token: string, issuers: ReadonlyMap<string, Issuer>): Issuer {
  const issuer = issuers.get(claimedIssuer(token))
  if (issuer === undefined) throw refusal('The access token is not valid.')
  return issuer
}

const refusal = (detail: string): Error => new CoreError('auth.required', { detail })

function createIssuer(
  oidc: OidcIssuer,
  { now, name }: { readonly now: () => number; readonly name?: string },
): Issuer {
  const keys = createIssuerKeys({ issuer: oidc.issuer, now })
  const verifyToken = createTokenVerifier({ oidc, keys, now })
  return {
    issuer: oidc.issuer,
    health: {
      name: name === undefined ? 'identityProvider' : `identityProvider.${name}`,
      async check() {
        await keys.reach()
        return { status: 'Healthy' }
      },
    },
    async verify(token) {
      const { roles, subject, defaultName, ...verified } = await verifyToken(token)
      return {
        ...verified,
        subject: subjectAt(name, subject),
        ...(defaultName !== null && { defaultName }),
        isAdministrator: oidc.administratorRole !== null && roles.includes(oidc.administratorRole),
        roleCodes: mappedRoles(oidc.roleMap, roles),
      }
    },
  }
}

/** Returns the distinct codes of the roles that the groups grant. */
function mappedRoles(roleMap: OidcIssuer['roleMap'], groups: readonly string[]): readonly string[] {
  if (roleMap.size === 0) return []
  return [...new Set(groups.flatMap((group) => roleMap.get(group) ?? []))]
}

/**
 * Returns the subject of the user record. Subjects of a further issuer have its name as prefix. The first issuer cannot
 * use this form, even for names that are not configured, so no issuer can sign in a user of another one.
 */
function subjectAt(name: string | undefined, subject: string): string {
  if (name !== undefined) {
    const qualified = `@${name}/${subject}`
    if (codePointCount(qualified) <= userLimits.subjectMaxChars) return qualified
  } else if (!/^@[a-z0-9-]+\//.test(subject)) return subject
  throw refusal('The subject of the access token cannot be used.')
}
