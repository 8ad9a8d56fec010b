import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { bucket, clientOf, codeOf, createClock, openStore, send } from './harness.ts'

async function openWithObject() {
  const clock = createClock()
  const opened = await openStore({ clock: clock.read })
  await opened.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'stored' }))
  const signGet = (options: { expiresIn?: number; signingDate?: Date } = {}) =>
    getSignedUrl(opened.client, new GetObjectCommand({ Bucket: bucket, Key: 'a' }), {
      signingDate: clock.read(),
      ...options,
    })
  return { ...opened, clock, signGet }
}

test('a presigned GET needs only its URL and no headers', async () => {
  const { signGet } = await openWithObject()
  expect(await send(await signGet())).toMatchObject({ status: 200, body: 'stored' })
})

test('a presigned PUT stores the sent body', async () => {
  const { client } = await openStore()
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'up', ContentType: 'text/plain' })
  const url = await getSignedUrl(client, put, { signableHeaders: new Set(['content-type']) })
  const answer = await send(url, { method: 'PUT', body: 'hello', headers: { 'Content-Type': 'text/plain' } })
  expect(answer).toMatchObject({ status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } })
  const { ContentType } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'up' }))
  expect(ContentType).toBe('text/plain')
})

test.each([
  ['another', { 'Content-Type': 'text/html' }],
  ['no', {}],
])(
  'if the URL was signed with a content type, the store rejects a PUT with %s content type',
  async (_which, headers) => {
    const { client } = await openStore()
    const put = new PutObjectCommand({ Bucket: bucket, Key: 'up', ContentType: 'text/plain' })
    const url = await getSignedUrl(client, put, { signableHeaders: new Set(['content-type']) })
    const answer = await send(url, { method: 'PUT', body: 'hello', headers })
    expect([answer.status, codeOf(answer)]).toEqual([403, 'SignatureDoesNotMatch'])
  },
)

test('the store keeps the metadata of a presigned URL with the object', async () => {
  const { client } = await openStore()
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'up', Metadata: { origin: 'scan' } })
  await send(await getSignedUrl(client, put), { method: 'PUT', body: 'x' })
  const { Metadata } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'up' }))
  expect(Metadata).toEqual({ origin: 'scan' })
})

test('the store rejects a PUT with a body if the client signed the checksum of an empty body', async () => {
  const { store } = await openStore()
  const client = clientOf(store, { requestChecksumCalculation: 'WHEN_SUPPORTED' })
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: 'up' }))
  expect(url).toContain('x-amz-checksum-crc32=AAAAAA')
  expect(codeOf(await send(url, { method: 'PUT', body: 'x' }))).toBe('BadDigest')
})

test('a presigned URL is valid until its last second and invalid after it', async () => {
  const { clock, signGet } = await openWithObject()
  const url = await signGet({ expiresIn: 60 })
  clock.advance(59)
  expect((await send(url)).status).toBe(200)
  clock.advance(2)
  const answer = await send(url)
  expect([answer.status, codeOf(answer)]).toEqual([403, 'AccessDenied'])
  expect(answer.body).toContain('Request has expired')
})

test('the store rejects a presigned URL that was signed in the future', async () => {
  const { clock, signGet } = await openWithObject()
  const url = await signGet()
  clock.advance(-16 * 60)
  const answer = await send(url)
  expect([answer.status, codeOf(answer)]).toEqual([403, 'AccessDenied'])
})

test('a presigned URL is valid for at most one week', async () => {
  const { signGet } = await openWithObject()
  expect((await send(await signGet({ expiresIn: 604_800 }))).status).toBe(200)
})

test.each(['0', '604801', '-1', '1e3', ''])(
  'a presigned URL with the lifetime %j is rejected',
  async (expires) => {
    const { signGet } = await openWithObject()
    const url = (await signGet()).replace(/X-Amz-Expires=\d+/, `X-Amz-Expires=${expires}`)
    const answer = await send(url)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'AuthorizationQueryParametersError'])
  },
)

test('the store rejects a presigned URL if its lifetime was extended after signing', async () => {
  const { signGet } = await openWithObject()
  const url = (await signGet({ expiresIn: 60 })).replace('X-Amz-Expires=60', 'X-Amz-Expires=600')
  expect(codeOf(await send(url))).toBe('SignatureDoesNotMatch')
})

test.each([
  ['path', (url: string) => url.replace('/a?', '/b?')],
  ['query', (url: string) => `${url}&response-content-type=text%2Fhtml`],
  [
    'signature',
    (url: string) =>
      url.replace(/(X-Amz-Signature=)(.)/, (_, name, digit) => name + (digit === '0' ? '1' : '0')),
  ],
  ['signature length', (url: string) => url.replace(/(X-Amz-Signature=..)[0-9a-f]*/, '$1')],
])('the store rejects a presigned URL with a changed %s', async (_part, tamper) => {
  const { client, signGet } = await openWithObject()
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'b', Body: 'private' }))
  const answer = await send(tamper(await signGet()))
  expect([answer.status, codeOf(answer)]).toEqual([403, 'SignatureDoesNotMatch'])
})

test.each(['PUT', 'HEAD'])('a URL presigned for GET is invalid for %s', async (method) => {
  const { signGet } = await openWithObject()
  expect((await send(await signGet(), { method })).status).toBe(403)
})

test('a presigned URL is invalid for another host', async () => {
  const { signGet } = await openWithObject()
  const answer = await send(await signGet(), { headers: { Host: 'elsewhere.example' } })
  expect(codeOf(answer)).toBe('SignatureDoesNotMatch')
})

test('the store rejects an additional x-amz header on a presigned URL', async () => {
  const { signGet } = await openWithObject()
  const answer = await send(await signGet(), { headers: { 'x-amz-meta-extra': '1' } })
  expect([answer.status, codeOf(answer)]).toEqual([403, 'AccessDenied'])
})

test('the store rejects a request with two signatures', async () => {
  const { signGet } = await openWithObject()
  const answer = await send(await signGet(), { headers: { Authorization: 'AWS4-HMAC-SHA256 x' } })
  expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidArgument'])
})
