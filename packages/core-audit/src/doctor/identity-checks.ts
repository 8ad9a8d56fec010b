import type { OidcConfig, OidcIssuer } from '../identity/config.ts'
import { fetchIssuer, type PublishedIssuer } from '../identity/issuer-keys.ts'
import { claimedIssuer } from '../identity/token-claims.ts'
import { algorithms } from '../identity/verify-token.ts'
import { type DoctorCheck, type Finding, failed, ok, skipped, warning } from './check.ts'
import { httpClockFinding } from './clock-finding.ts'
import { failureCode, isCertificateFailure } from './failure-code.ts'
import { rolesFinding, tokenFinding } from './token-findings.ts'

/** Returns the checks of all OpenID Connect issuers, and of the token of a run. */
export function identityChecks(oidc: OidcConfig): readonly DoctorCheck[] {
  const further = [...oidc.furtherIssuers].map(([name, issuer]) => ({ suffix: `.${name}`, issuer }))
  const all: readonly NamedIssuer[] = [{ suffix: '', issuer: oidc }, ...further]
  const ofToken = (token: string): OidcIssuer =>
    all.find(({ issuer }) => issuer.issuer === claimedIssuer(token))?.issuer ?? oidc
  return [
    ...all.flatMap(issuerChecks),
    {
      name: 'identity.token',
      run: async ({ token, now }) =>
        token === undefined
          ? skipped('Needs a token: use --token-file.')
          : tokenFinding({ oidc: ofToken(token), token, now }),
    },
    {
      name: 'identity.roles',
      run: async ({ token }) =>
        token === undefined
          ? skipped('Needs a token: use --token-file.')
          : rolesFinding(ofToken(token), token),
    },
  ]
}

/** An issuer with the end of the names of its checks. */
interface NamedIssuer {
  readonly suffix: string
  readonly issuer: OidcIssuer
}

function issuerChecks({ suffix, issuer }: NamedIssuer): readonly DoctorCheck[] {
  const discovery = `identity.discovery${suffix}`
  const clock = { other: 'the identity provider', url: issuer.issuer, needed: discovery }
  return [
    { name: discovery, isQuick: true, run: ({ signal }) => discoveryFinding(issuer, signal) },
    {
      ...{ name: `clock.identity${suffix}`, isQuick: true, needs: [discovery] },
      run: (context) => httpClockFinding(clock, context),
    },
  ]
}

async function discoveryFinding({ issuer }: OidcIssuer, signal: AbortSignal): Promise<Finding> {
  let published: PublishedIssuer
  try {
    published = await fetchIssuer(issuer, signal)
  } catch (error) {
    return unreachable(error)
  }
  const usable = published.keys.filter(isUsable)
  if (usable.length === 0) {
    return failed(
      `None of the published keys (${published.keys.length}) can verify tokens.`,
      `Sign access tokens with ${algorithms[0]} or ES256 at the issuer of Oidc__Issuer.`,
    )
  }
  if (!isProtected(issuer) || !isProtected(published.keysAddress)) {
    return warning(
      'The keys of the issuer are read without TLS: an attacker in the network could replace them, and then sign tokens.',
      'Use an https address in Oidc__Issuer.',
    )
  }
  const names = [...new Set(usable.map(({ alg, kty }) => String(alg ?? kty)))]
  return ok(`Keys that can verify tokens: ${usable.length} (${names.join(', ')}).`)
}

/** Returns whether an answer of the address cannot be replaced on its way: because of TLS, or on the same machine. */
function isProtected(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

function unreachable(error: unknown): Finding {
  const code = failureCode(error)
  if (isCertificateFailure(code)) {
    return failed(
      `The certificate of the identity provider is not accepted (${code}).`,
      'Correct Oidc__Issuer, or add the authority to NODE_EXTRA_CA_CERTS.',
    )
  }
  // The messages of our own errors contain no data.
  const isOurs = error instanceof Error && /^The (issuer|identity provider) /.test(error.message)
  if (isOurs) return failed(error.message, 'Set Oidc__Issuer to the exact value of "iss" in the tokens.')
  return failed(
    `The metadata of the identity provider cannot be read (${code}).`,
    'Correct Oidc__Issuer, or start the identity provider.',
  )
}

function isUsable({ kty, use, alg, n }: PublishedIssuer['keys'][number]): boolean {
  const isAllowed = alg === undefined || algorithms.some((name) => name === alg)
  // Verification refuses RSA keys below 2048 bits (RFC 7518 §3.3).
  const isLong = kty !== 'RSA' || Buffer.from(String(n), 'base64url').length >= 2048 / 8
  return ['RSA', 'EC', 'OKP'].includes(String(kty)) && use !== 'enc' && isAllowed && isLong
}
