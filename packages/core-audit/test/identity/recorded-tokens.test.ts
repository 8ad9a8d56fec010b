import { readFile } from 'node:fs/promises'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { type OidcConfig, oidcTokens, readOidcConfig } from '@vertical-kit/core-audit/identity'
import type { JWTHeaderParameters, JWTPayload } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createSigningKey,
  keysPath,
  metadataPath,
  type ScriptedIssuer,
  startScriptedIssuer,
} from './scripted-issuer.ts'

/*
 * The payloads in recorded-tokens/ have the shape that each provider documents. Ids and names are invented, and a key of
 * this test signs them, because only the provider can sign with its own key. Issuers keep their path; their origin becomes
 * the address of the test's issuer. The keys of the host are read from the guide.
 */
interface Recorded {
  readonly header: Partial<JWTHeaderParameters>
  readonly person: JWTPayload
  readonly service: JWTPayload
  readonly overage?: JWTPayload
}

const guide = await readFile(new URL('../../../../docs/guides/identity.md', import.meta.url), 'utf8')
const key = await createSigningKey('key', 'RS256')
let server: ScriptedIssuer

beforeAll(async () => {
  server = await startScriptedIssuer(key)
})
afterAll(() => server.stop())

/** Returns the environment of a recipe, with the test's issuer at the same path. */
function environmentOf(heading: string): Record<string, string> {
  const [, block = ''] = guide.split(`\n#### ${heading}\n`)[1]?.match(/```ini\n([^`]*)```/) ?? []
  const entries = block
    .trim()
    .split('\n')
    .map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')])
  return Object.fromEntries(entries)
}

/** Moves an issuer to the test's server, which publishes its metadata below the issuer's path. */
function moved(issuer: string): string {
  const address = issuer.replace(new URL(issuer).origin, new URL(server.oidc.issuer).origin)
  const path = new URL(address).pathname.replace(/\/$/, '')
  const metadata = { issuer: address, jwks_uri: `${server.oidc.issuer}${keysPath}` }
  server.answer(path + metadataPath, { body: JSON.stringify(metadata) })
  return address
}

async function open(file: string, heading: string, more: Record<string, string> = {}) {
  const recorded: Recorded = JSON.parse(
    await readFile(new URL(`./recorded-tokens/${file}.json`, import.meta.url), 'utf8'),
  )
  const environment = environmentOf(heading)
  const oidc: OidcConfig = readConfiguration(
    { ...environment, Oidc__Issuer: moved(environment['Oidc__Issuer'] ?? ''), ...more },
    readOidcConfig,
  )
  const tokens = oidcTokens(oidc, Date)
  return {
    recorded,
    async verify(claims: JWTPayload) {
      const nowSeconds = Math.floor(Date.now() / 1000)
      const times = { iat: nowSeconds, exp: nowSeconds + 3_600, ...(claims.nbf && { nbf: nowSeconds }) }
      const iss = moved(claims.iss ?? '')
      return tokens.verify(await key.sign({ ...claims, ...times, iss }, recorded.header))
    },
  }
}

const personAt = (subject: string, more = {}) => ({
  subject,
  displayName: 'Clara Clerk',
  email: 'clara@example.com',
  defaultName: 'clara@example.com',
  isAdministrator: false,
  roleCodes: ['trade.clerk'],
  expiresAtMs: expect.any(Number),
  ...more,
})

const serviceAt = (subject: string, client: string, roleCodes = ['trade.clerk']) => ({
  subject,
  displayName: null,
  defaultName: `service-account-${client}`,
  email: null,
  isAdministrator: false,
  roleCodes,
  expiresAtMs: expect.any(Number),
})

test.each([
  [
    'Keycloak',
    'keycloak',
    personAt('f3c15a57-6a1e-4f2e-9a3b-0f7b1c2d3e4f'),
    serviceAt('0b8f0e52-6b1c-4a0e-8f59-2f1d7c9a4b33', 'nightly-import'),
  ],
  [
    'Entra ID',
    'entra-id',
    personAt('HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ', { email: null, defaultName: undefined }),
    serviceAt('e602ad27-6efb-4e34-b4c8-5e2ab0a4d5f2', 'd3590ed6-52b3-4102-aeff-aad2292ab01c'),
  ],
  [
    'Auth0',
    'auth0',
    personAt('auth0|65f0c1a2b3d4e5f60718293a'),
    serviceAt('k7aTz2oGvVq1bRn5@clients', 'k7aTz2oGvVq1bRn5'),
  ],
  [
    'Okta',
    'okta',
    personAt('00uid4BxXw6I6TV4m0g3', { email: null, defaultName: undefined }),
    serviceAt('0oa1gjh63g214q0Hq0g4', '0oa1gjh63g214q0Hq0g4', []),
  ],
])(
  'the recipe for %s accepts the tokens of a person and of a service account',
  async (heading, file, person, service) => {
    const { recorded, verify } = await open(file, heading)
    expect(await verify(recorded.person)).toEqual(person)
    expect(await verify(recorded.service)).toEqual(service)
  },
)

test('a token with a link instead of groups is refused with an explanation', async () => {
  const { recorded, verify } = await open('entra-id', 'Entra ID', { Oidc__RolesClaim: 'groups' })
  const refused = { code: 'auth.required', message: expect.stringContaining('too many') }
  await expect(verify(recorded.overage ?? {})).rejects.toMatchObject(refused)
  const { _claim_names: _, ...marked }: JWTPayload = { ...recorded.overage, hasgroups: true }
  await expect(verify(marked)).rejects.toMatchObject(refused)
})

test('a link instead of groups does not matter if the roles come from another claim', async () => {
  const { recorded, verify } = await open('entra-id', 'Entra ID')
  expect(await verify({ ...recorded.overage, roles: ['Trade.Clerk'] })).toMatchObject({
    roleCodes: ['trade.clerk'],
  })
})
