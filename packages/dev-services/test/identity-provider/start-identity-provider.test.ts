import { createPrivateKey } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type IdentityProvider, startIdentityProvider } from '@vertical-kit/dev-services'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../postgres/harness.ts'
import {
  passwordGrant,
  redirectUri,
  requestToken,
  startForTest,
  startWithinTest,
  users,
  verify,
} from './harness.ts'

async function tokenOf(provider: IdentityProvider): Promise<string> {
  const response = await requestToken(provider, passwordGrant('clerk', 'demo'))
  return ((await response.json()) as { access_token: string }).access_token
}

test('with a directory, the tokens of a provider stay valid after a restart', async () => {
  const directory = join(await temporaryFolder(), 'identity')
  const first = await startForTest({ directory })
  const token = await tokenOf(first)
  await first.close()
  const second = await startWithinTest({ directory, port: Number(new URL(first.issuer).port) })
  expect(await verify(second, token)).toMatchObject({ sub: 'clerk' })
})

test('only the owner can read the stored key', async () => {
  const directory = await temporaryFolder()
  const provider = await startWithinTest({ directory })
  const file = join(directory, 'signing-key.pem')
  expect(createPrivateKey(await readFile(file)).equals(provider.signingKey.privateKey)).toBe(true)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('printing a provider does not print its key', async () => {
  const provider = await startWithinTest()
  const { d } = provider.signingKey.privateKey.export({ format: 'jwk' })
  expect(inspect(provider, { depth: 9, showHidden: true }) + JSON.stringify(provider)).not.toContain(d)
})

test('without a directory, every provider has a new key', async () => {
  const [first, second] = [await startWithinTest(), await startWithinTest()]
  expect(first.signingKey.kid).not.toBe(second.signingKey.kid)
  await expect(verify(second, await tokenOf(first), { issuer: first.issuer })).rejects.toMatchObject({
    code: 'ERR_JWKS_NO_MATCHING_KEY',
  })
})

test('the start is rejected if the port is in use', async () => {
  const { issuer } = await startWithinTest()
  await expect(startForTest({ port: Number(new URL(issuer).port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

test.each(['not a uri', 'javascript:alert(1)', `${redirectUri}#fragment`])(
  'the start is rejected if a page has the redirect URI %s',
  async (wrong) => {
    const pages = [{ clientId: 'demo-page', redirectUris: [wrong] }]
    await expect(startForTest({ pages })).rejects.toThrow(
      new TypeError(`pages: redirectUris of demo-page: "${wrong}" is not an http(s) URL without a fragment`),
    )
  },
)

test('a closed provider does not listen', async () => {
  const provider = await startIdentityProvider({ audience: 'vertical-kit', users })
  await provider.close()
  await expect(fetch(`${provider.issuer}/jwks`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
})

test('a provider rejects a request with another host name', async () => {
  const { issuer } = await startWithinTest()
  const status = await new Promise((resolve, reject) => {
    request(`${issuer}/jwks`, { headers: { host: 'evil.example' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .once('error', reject)
      .end()
  })
  expect(status).toBe(421)
})

describe('a page of another origin', () => {
  const codeGrant = { grant_type: 'authorization_code', client_id: 'demo-page', code: 'x', redirect_uri: 'x' }

  test('can request tokens if it is registered', async () => {
    const provider = await startWithinTest()
    const response = await requestToken(provider, codeGrant, { origin: 'http://127.0.0.1:8080' })
    expect(response.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:8080')
  })

  test.each(['http://evil.example', 'http://127.0.0.1:9999', 'null'])(
    'is rejected if its origin is %s',
    async (origin) => {
      const provider = await startWithinTest()
      const response = await requestToken(provider, codeGrant, { origin })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
    },
  )

  test('cannot use the password grant', async () => {
    const provider = await startWithinTest()
    const response = await requestToken(provider, passwordGrant('clerk', 'demo'), {
      origin: 'http://127.0.0.1:8080',
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.status).toBe(400)
  })

  test('can request tokens from any loopback port if it is registered with `any`', async () => {
    const provider = await startWithinTest({
      pages: [{ clientId: 'demo-page', redirectUris: ['http://127.0.0.1/demo/'], loopbackPort: 'any' }],
    })
    const allowed = await requestToken(provider, codeGrant, { origin: 'http://127.0.0.1:9999' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:9999')
    const refused = await requestToken(provider, codeGrant, { origin: 'http://evil.example' })
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('can read discovery and keys, regardless of its origin', async () => {
    const { issuer } = await startWithinTest()
    for (const path of ['/.well-known/openid-configuration', '/jwks']) {
      const response = await fetch(issuer + path, { headers: { origin: 'http://anywhere.example' } })
      expect(response.headers.get('access-control-allow-origin')).toBe('http://anywhere.example')
    }
  })
})
