import {
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucket, codeOf, createClock, openStore, send } from './harness.ts'

const etag = '"5d41402abc4b2a76b9719d911017c592"'
const otherEtag = '"00000000000000000000000000000000"'
const writtenAt = new Date('2026-03-01T12:00:00.500Z')

async function openWithHello() {
  const clock = createClock(writtenAt)
  const { client } = await openStore({ clock: clock.read })
  client.config.systemClockOffset = writtenAt.getTime() - Date.now()
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'hello', ContentType: 'text/plain' }),
  )
  const sign = (input: Partial<GetObjectCommandInput> = {}) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: 'a', ...input }), {
      signingDate: writtenAt,
    })
  return { client, sign, url: await sign() }
}

test.each([
  ['if-match', etag, 200],
  ['if-match', etag.replaceAll('"', ''), 200],
  ['if-match', `${otherEtag}, ${etag}`, 200],
  ['if-match', '*', 200],
  ['if-match', otherEtag, 412],
  ['if-none-match', otherEtag, 200],
  ['if-none-match', etag, 304],
  ['if-none-match', '*', 304],
  ['if-modified-since', 'Sun, 01 Mar 2026 11:59:59 GMT', 200],
  ['if-modified-since', 'Sun, 01 Mar 2026 12:00:00 GMT', 304],
  ['if-modified-since', 'not a date', 200],
  ['if-unmodified-since', 'Sun, 01 Mar 2026 12:00:00 GMT', 200],
  ['if-unmodified-since', 'Sun, 01 Mar 2026 11:59:59 GMT', 412],
])('a GET with the header %s: %s returns %i', async (name, value, status) => {
  const { url } = await openWithHello()
  const answer = await send(url, { headers: { [name]: value } })
  expect(answer.status).toBe(status)
  expect(answer.headers.etag).toBe(status === 412 ? undefined : etag)
  expect(codeOf(answer)).toBe(status === 412 ? 'PreconditionFailed' : undefined)
})

test('an ETag condition has precedence over a date', async () => {
  const { url } = await openWithHello()
  const stale = { 'if-unmodified-since': 'Sun, 01 Mar 2026 11:00:00 GMT' }
  expect((await send(url, { headers: { 'if-match': etag, ...stale } })).status).toBe(200)
  const unchanged = { 'if-modified-since': 'Sun, 01 Mar 2026 13:00:00 GMT' }
  expect((await send(url, { headers: { 'if-none-match': otherEtag, ...unchanged } })).status).toBe(200)
})

test('HEAD applies the same conditions as GET', async () => {
  const { client } = await openWithHello()
  const head = (input: object) => client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'a', ...input }))
  await expect(head({ IfMatch: otherEtag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } })
  await expect(head({ IfNoneMatch: etag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
  await expect(head({ IfMatch: etag })).resolves.toMatchObject({ ContentLength: 5 })
})

test.each([
  ['bytes=0-0', 'h', 'bytes 0-0/5'],
  ['bytes=1-3', 'ell', 'bytes 1-3/5'],
  ['bytes=3-', 'lo', 'bytes 3-4/5'],
  ['bytes=3-99', 'lo', 'bytes 3-4/5'],
  ['bytes=-2', 'lo', 'bytes 3-4/5'],
  ['bytes=-99', 'hello', 'bytes 0-4/5'],
])('a GET returns the requested part for the range %s', async (range, body, contentRange) => {
  const { url } = await openWithHello()
  const answer = await send(url, { headers: { range } })
  expect(answer).toMatchObject({ status: 206, body })
  expect(answer.headers).toMatchObject({
    'content-range': contentRange,
    'content-length': String(body.length),
    etag,
  })
})

test.each(['bytes=5-', 'bytes=9-10', 'bytes=-0'])(
  'a GET rejects the unsatisfiable range %s',
  async (range) => {
    const { url } = await openWithHello()
    const answer = await send(url, { headers: { range } })
    expect([answer.status, codeOf(answer), answer.headers['content-range']]).toEqual([
      416,
      'InvalidRange',
      'bytes */5',
    ])
  },
)

test.each(['bytes=3-1', 'bytes=-', 'lines=1-2', 'bytes=0-0,2-3', 'bytes=a-b'])(
  'a GET ignores the invalid or unsupported range %s',
  async (range) => {
    const { url } = await openWithHello()
    const answer = await send(url, { headers: { range } })
    expect([answer.status, answer.body, answer.headers['content-range']]).toEqual([200, 'hello', undefined])
  },
)

test('a GET returns a part only if If-Range matches the object', async () => {
  const { url } = await openWithHello()
  const range = 'bytes=1-1'
  expect(await send(url, { headers: { range, 'if-range': etag } })).toMatchObject({ status: 206, body: 'e' })
  expect(await send(url, { headers: { range, 'if-range': otherEtag } })).toMatchObject({
    status: 200,
    body: 'hello',
  })
})

test('every range returns exactly its bytes', async () => {
  const { url } = await openWithHello()
  const isSlice = async (first: number, length: number) => {
    const answer = await send(url, { headers: { range: `bytes=${first}-${first + length}` } })
    expect(answer.body).toBe('hello'.slice(first, first + length + 1))
  }
  await fc.assert(fc.asyncProperty(fc.nat(4), fc.nat(9), isSlice), {
    numRuns: 25,
    interruptAfterTimeLimit: 20_000,
  })
})

test('the query of a signed GET can override response headers', async () => {
  const { sign } = await openWithHello()
  const disposition = `attachment; filename="x.txt"; filename*=UTF-8''%C3%BC.txt`
  const url = await sign({
    ResponseContentType: 'application/octet-stream',
    ResponseContentDisposition: disposition,
    ResponseCacheControl: 'no-store',
    ResponseContentLanguage: 'fr',
    ResponseContentEncoding: 'identity',
    ResponseExpires: new Date('2026-03-02T00:00:00Z'),
  })
  expect((await send(url)).headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': disposition,
    'cache-control': 'no-store',
    'content-language': 'fr',
    'content-encoding': 'identity',
    expires: 'Mon, 02 Mar 2026 00:00:00 GMT',
  })
})

test('a GET rejects a header override with a line break', async () => {
  const { sign } = await openWithHello()
  const url = await sign({ ResponseContentDisposition: 'attachment\r\nSet-Cookie: a=b' })
  const answer = await send(url)
  expect([answer.status, codeOf(answer), answer.headers['set-cookie']]).toEqual([
    400,
    'InvalidArgument',
    undefined,
  ])
})
