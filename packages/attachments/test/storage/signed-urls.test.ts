import { expect, test } from 'vitest'
import type { StorageConfig } from '../../src/config.ts'
import { createS3Storage } from '../../src/storage/s3-storage.ts'

const config: StorageConfig = {
  internalEndpoint: 'https://store.internal:9000',
  publicEndpoint: 'https://files.example.com',
  region: 'eu-central-1',
  bucket: 'vertical-kit-attachments',
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  requestTimeoutMs: 30_000,
}
const now = () => Date.parse('2026-01-02T03:04:05.678Z')
const storage = createS3Storage({
  config,
  uploadLifetimeMs: 600_000,
  downloadLifetimeMs: 180_000,
  now,
  signingNow: now,
})
const id = '019b8c5e-0000-7000-8000-000000000000'
const withoutSignature = (url: string) => url.replace(/(X-Amz-Signature=)[\da-f]{64}/, '$1<64 hex digits>')

test('an upload URL has the public host, and its signature covers only the host and the content type', async () => {
  const signed = await storage.signPut({ id, contentType: 'text/plain' })
  expect(withoutSignature(signed.url).split(/[?&]/)).toEqual([
    `https://files.example.com/vertical-kit-attachments/uploads/${id}`,
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD',
    'X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Feu-central-1%2Fs3%2Faws4_request',
    'X-Amz-Date=20260102T030405Z',
    'X-Amz-Expires=600',
    'X-Amz-Signature=<64 hex digits>',
    'X-Amz-SignedHeaders=content-type%3Bhost',
    'x-id=PutObject',
  ])
  expect(signed.headers).toEqual({ 'Content-Type': 'text/plain' })
  expect(signed.expiresAtUtc).toBe('2026-01-02T03:14:05.000Z')
})

test('the signature of an upload with a declared hash covers the hash', async () => {
  const sha256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='
  const signed = await storage.signPut({ id, contentType: 'text/plain', sha256 })
  const { searchParams } = new URL(signed.url)
  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('content-type;host;x-amz-checksum-sha256')
  expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([])
  expect(signed.headers).toEqual({ 'Content-Type': 'text/plain', 'x-amz-checksum-sha256': sha256 })
})

test('a download URL requests a generic content type, no caching and an attachment disposition', async () => {
  const signed = await storage.signGet({ id, sealAttempt: 1, fileName: 'Zoë.html' })
  expect(withoutSignature(signed.url).split(/[?&]/)).toEqual([
    `https://files.example.com/vertical-kit-attachments/attachments/${id}`,
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD',
    'X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Feu-central-1%2Fs3%2Faws4_request',
    'X-Amz-Date=20260102T030405Z',
    'X-Amz-Expires=180',
    'X-Amz-Signature=<64 hex digits>',
    'X-Amz-SignedHeaders=host',
    'response-cache-control=no-store',
    `response-content-disposition=${encodeURIComponent(`attachment; filename="Zo_.html"; filename*=UTF-8''Zo%C3%AB.html`).replaceAll("'", '%27').replaceAll('*', '%2A')}`,
    'response-content-type=application%2Foctet-stream',
    'x-id=GetObject',
  ])
  expect(signed.expiresAtUtc).toBe('2026-01-02T03:07:05.000Z')
})

test.each([
  ['a file that server code stored', 0, id],
  ['an upload that its first attempt sealed', 1, id],
  ['an upload that its twelfth attempt sealed', 12, `${id}.12`],
])('the download URL of %s contains its key', async (_what, sealAttempt, name) => {
  const { url } = await storage.signGet({ id, sealAttempt, fileName: 'a.txt' })
  expect(new URL(url).pathname).toBe(`/vertical-kit-attachments/attachments/${name}`)
})

test('upload URLs for different content types have different signatures', async () => {
  const signatureOf = async (contentType: string) =>
    new URL((await storage.signPut({ id, contentType })).url).searchParams.get('X-Amz-Signature')
  expect(await signatureOf('text/plain')).not.toBe(await signatureOf('text/html'))
})

test('the AWS variables of the environment do not change an upload URL', async () => {
  const expected = (await storage.signPut({ id, contentType: 'text/plain' })).url
  const settings = {
    AWS_REGION: 'us-gov-west-1',
    AWS_ACCESS_KEY_ID: 'other',
    AWS_SECRET_ACCESS_KEY: 'other',
    AWS_SESSION_TOKEN: 'other',
    AWS_ENDPOINT_URL: 'https://elsewhere.example.com',
    AWS_ENDPOINT_URL_S3: 'https://elsewhere.example.com',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_SUPPORTED',
  }
  Object.assign(process.env, settings)
  try {
    const lifetimes = { uploadLifetimeMs: 600_000, downloadLifetimeMs: 180_000 }
    const fresh = createS3Storage({ config, ...lifetimes, now, signingNow: now })
    expect((await fresh.signPut({ id, contentType: 'text/plain' })).url).toBe(expected)
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name]
  }
})
