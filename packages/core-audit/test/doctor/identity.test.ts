import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createIdentity, type OidcConfig, oidcTokens } from '@vertical-kit/core-audit/identity'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openPool } from '../harness.ts'
import { type DoctorRun, runDoctor } from './run-doctor.ts'

let fresh: FreshDatabase
let issuer: TestIssuer
beforeAll(async () => {
  fresh = await openDatabase()
  issuer = await startTestIssuer()
})
afterAll(async () => {
  await issuer.close()
  await fresh.drop()
})

/** Runs the doctor of a host that accepts the tokens of `oidc`, by default those of the issuer. */
function examine(oidc: Partial<OidcConfig> = {}, run: Partial<DoctorRun> = {}) {
  const database = openPool(fresh.url)
  const identity = createIdentity({
    database,
    outbox: createOutbox({ database, config: outboxDefaults }),
    tokens: oidcTokens({ ...issuer.oidc, ...oidc }, database.clock),
    administratorRoleCodes: [],
    modules: [],
  })
  return runDoctor({ url: fresh.url, modules: [identity], ...run })
}

const examineToken = (input: string, oidc: Partial<OidcConfig> = {}) =>
  examine(oidc, { argv: ['--token-file', '-'], input })

/** Serves these bodies by path for one test, and returns the address. */
async function serve(bodies: (origin: string) => Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const body = bodies(origin)[request.url ?? '']
    response.statusCode = body === undefined ? 404 : 200
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return origin
}

/** Returns an address of this machine that the check takes for another one. */
const elsewhere = (origin: string): string => origin.replace('127.0.0.1', '0.0.0.0')

const metadata = '/.well-known/openid-configuration'

describe('the issuer', () => {
  test('that is configured correctly is ok', async () => {
    const { findings } = await examine()
    expect(findings['identity.discovery']).toEqual({
      status: 'ok',
      message: 'Keys that can verify tokens: 1 (ES256).',
    })
    const needed = { status: 'skipped', message: 'Needs a token: use --token-file.' }
    expect(findings).toMatchObject({ 'identity.token': needed, 'identity.roles': needed })
    expect(findings['clock.identity']).toMatchObject({ status: 'ok' })
  })

  test.each([
    ['with another name', (origin: string) => ({ [metadata]: { issuer: `${origin}/`, jwks_uri: origin } })],
    ['without keys', (origin: string) => ({ [metadata]: { issuer: origin } })],
    ['without metadata', () => ({})],
    [
      'with symmetric keys only',
      (origin: string) => ({
        [metadata]: { issuer: origin, jwks_uri: `${origin}/keys` },
        '/keys': { keys: [{ kty: 'oct', k: 'AA' }] },
      }),
    ],
  ])('%s fails and names Oidc__Issuer', async (_case, bodies) => {
    const { exitCode, findings } = await examine({ issuer: await serve(bodies) })
    expect(findings['identity.discovery']).toMatchObject({
      status: 'failed',
      change: expect.stringContaining('Oidc__Issuer'),
    })
    expect(exitCode).toBe(1)
  })

  test.each([
    ['the issuer', (origin: string) => [elsewhere(origin), origin]],
    ['its keys', (origin: string) => [origin, elsewhere(origin)]],
  ])('of another machine without TLS is a warning: %s', async (_case, addressesOf) => {
    const origin = await serve((at) => {
      const [issuerAt, keysAt] = addressesOf(at)
      return {
        [metadata]: { issuer: issuerAt, jwks_uri: `${keysAt}/keys` },
        '/keys': { keys: [{ kty: 'EC', alg: 'ES256' }] },
      }
    })
    const { exitCode, findings } = await examine({ issuer: addressesOf(origin)[0] ?? '' })
    expect(findings['identity.discovery']).toMatchObject({
      status: 'warning',
      change: 'Use an https address in Oidc__Issuer.',
    })
    expect(exitCode).toBe(0)
  })

  test('that cannot be reached fails with the reason', async () => {
    const closed = await startTestIssuer()
    await closed.close()
    const { findings } = await examine({ issuer: closed.oidc.issuer })
    expect(findings['identity.discovery']?.message).toContain('ECONNREFUSED')
    expect(findings['clock.identity']).toMatchObject({ status: 'skipped' })
  })

  test('with another clock is a problem of the clocks', async () => {
    const { findings } = await examine({}, { skewMs: 600_000 })
    expect(findings['clock.identity']).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/ahead of the identity provider/),
    })
  })
})

/** Returns a token with these claims, and the address of its issuer. */
async function signed(claims: JWTPayload) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'own' }]
  const origin = await serve((at) => ({
    [metadata]: { issuer: at, jwks_uri: `${at}/keys` },
    '/keys': { keys },
  }))
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'own' })
    .setIssuer(origin)
    .setAudience(issuer.oidc.audience)
    .setSubject('ann')
    .setExpirationTime('1h')
    .sign(privateKey)
  return { token, origin }
}

describe('a token', () => {
  test('that a host accepts is ok, and the output contains no token', async () => {
    const token = await issuer.token({ subject: 'ann', roles: ['platform-admin', 'clerk'] })
    const { findings, output } = await examineToken(`${token}\n`)
    expect(findings).toMatchObject({
      'identity.token': { status: 'ok' },
      'identity.roles': {
        status: 'ok',
        message: 'Roles at Oidc__RolesClaim: 2, with the administrator role.',
      },
    })
    for (const part of token.split('.')) expect(output).not.toContain(part)
    expect(output).not.toContain('ann')
  })

  test('for another audience fails and names Oidc__Audience', async () => {
    const { exitCode, findings } = await examineToken(await issuer.token({ subject: 'ann' }), {
      audience: 'another',
    })
    expect(findings['identity.token']).toMatchObject({
      status: 'failed',
      message: 'The token is for another audience.',
      change: expect.stringContaining('Oidc__Audience'),
    })
    expect(exitCode).toBe(1)
  })

  test('that has expired fails', async () => {
    const token = await issuer.token({ subject: 'ann', expiresAtMs: Date.now() - 60_000 })
    expect((await examineToken(token)).findings['identity.token']?.message).toBe('The token has expired.')
  })

  test('of another issuer, with another key, or that is no token fails and names Oidc__Issuer', async () => {
    const other = await startTestIssuer()
    onTestFinished(() => other.close())
    const foreign = await other.token({ subject: 'ann' })
    const { privateKey } = await generateKeyPair('ES256')
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: 'test' })
      .setIssuer(issuer.oidc.issuer)
      .setAudience(issuer.oidc.audience)
      .setSubject('ann')
      .setExpirationTime('1h')
      .sign(privateKey)
    for (const token of [foreign, forged, 'opaque']) {
      const { findings } = await examineToken(token)
      expect(findings['identity.token']).toMatchObject({
        status: 'failed',
        change: expect.stringContaining('Oidc__Issuer'),
      })
    }
  })

  test('with a link instead of its groups fails with the reason of the host', async () => {
    const { token, origin } = await signed({ _claim_names: { roles: 'src1' } })
    const { findings } = await examineToken(token, { issuer: origin })
    expect(findings['identity.token']).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/groups|roles/),
      change: expect.stringContaining('Correct the tokens'),
    })
  })

  test('with roles at another claim is a warning that lists the paths', async () => {
    const claims = {
      realm_access: { roles: ['c4n4ry'] },
      resource_access: { shop: { roles: ['c4n4ry'] } },
      groups: ['/c4n4ry'],
      email: 'c4n4ry',
    }
    const { token, origin } = await signed(claims)
    const { findings, output } = await examineToken(token, { issuer: origin })
    expect(findings['identity.token']).toMatchObject({ status: 'ok' })
    expect(findings['identity.roles']).toMatchObject({
      status: 'warning',
      change: 'Set Oidc__RolesClaim to one of: realm_access.roles, resource_access.shop.roles, groups.',
    })
    expect(output).not.toContain('c4n4ry')
  })
})
