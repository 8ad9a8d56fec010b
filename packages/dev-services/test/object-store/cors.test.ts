import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { bucket, openStore, send } from './harness.ts'

const origin = 'https://app.example'
const corsOrigins = ['http://localhost:8080', origin]

function preflight(url: string, headers: Record<string, string>) {
  return send(`${url}/${bucket}/a`, { method: 'OPTIONS', headers })
}

test.each(['PUT', 'GET', 'HEAD'])(
  'a preflight for %s from a known origin succeeds without a signature',
  async (method) => {
    const { store } = await openStore({ corsOrigins })
    const answer = await preflight(store.url, {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'content-type',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, PUT',
      'access-control-allow-headers': 'content-type, x-amz-checksum-sha256',
      vary: 'Origin',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  },
)

test.each([
  ['an unknown origin', { Origin: 'https://app.example.evil' }],
  ['the known host on another port', { Origin: `${origin}:8443` }],
  ['a null origin', { Origin: 'null' }],
  ['no origin', { Origin: '' }],
  ['the method DELETE', { 'Access-Control-Request-Method': 'DELETE' }],
  ['no requested method', { 'Access-Control-Request-Method': '' }],
  ['an unknown header', { 'Access-Control-Request-Headers': 'content-type, x-amz-meta-a' }],
])('a preflight with %s is rejected', async (_what, headers) => {
  const { store } = await openStore({ corsOrigins })
  const asked = { Origin: origin, 'Access-Control-Request-Method': 'PUT', ...headers }
  const answer = await preflight(store.url, asked)
  expect(answer.status).toBe(403)
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  expect(answer.headers).not.toHaveProperty('access-control-allow-methods')
})

test('an origin can have any port', async () => {
  const { store } = await openStore({ corsOrigins: ['http://localhost:*'] })
  const statusFor = async (Origin: string) =>
    (await preflight(store.url, { Origin, 'Access-Control-Request-Method': 'PUT' })).status
  expect(await statusFor('http://localhost:8080')).toBe(200)
  expect(await statusFor('http://localhost:54321')).toBe(200)
  for (const other of ['http://localhost', 'https://localhost:8080', 'http://localhost.evil:8080'])
    expect(await statusFor(other)).toBe(403)
})

test('a page of a known origin can read the response and its ETag', async () => {
  const { client } = await openStore({ corsOrigins })
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: 'a' }))
  const answer = await send(url, { method: 'PUT', body: 'x', headers: { Origin: origin } })
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag',
    etag: expect.any(String),
    vary: 'Origin',
  })
})

test('a page of a known origin can read an error response', async () => {
  const { store } = await openStore({ corsOrigins })
  const answer = await send(`${store.url}/${bucket}/a`, { headers: { Origin: origin } })
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, origin])
})

test.each([
  ['an unknown origin', corsOrigins],
  ['any origin when none is configured', []],
])('%s cannot read responses', async (_which, configured) => {
  const { client } = await openStore({ corsOrigins: configured })
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'x' }))
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: 'a' }))
  const answer = await send(url, { headers: { Origin: 'https://elsewhere.example' } })
  expect(answer.status).toBe(200)
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
})
