import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucket, codeOf, createClock, openStore, refusalOf, send } from './harness.ts'

const etagOfHello = '"5d41402abc4b2a76b9719d911017c592"'

test('a GET returns an object exactly as it was written', async () => {
  const clock = createClock(new Date('2026-03-01T12:00:00.500Z'))
  const { client } = await openStore({ clock: clock.read })
  const headers = {
    ContentType: 'text/plain; charset=utf-8',
    ContentDisposition: 'inline',
    ContentLanguage: 'de',
    CacheControl: 'no-store',
    Metadata: { 'scanned-by': 'desk 4' },
  }
  // Align the client's clock with the store's clock.
  client.config.systemClockOffset = clock.read().getTime() - Date.now()
  const put = await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'hello', ...headers }))
  expect(put.ETag).toBe(etagOfHello)

  const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' }))
  expect(await got.Body?.transformToString()).toBe('hello')
  const described = {
    ...headers,
    ETag: etagOfHello,
    ContentLength: 5,
    LastModified: new Date('2026-03-01T12:00:00Z'),
  }
  expect(got).toMatchObject(described)
  expect(await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'a' }))).toMatchObject(described)
})

test('an object without a content type is binary by default', async () => {
  const { client } = await openStore()
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: 'a' }))
  await send(url, { method: 'PUT', body: 'x' })
  const { ContentType } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'a' }))
  expect(ContentType).toBe('binary/octet-stream')
})

test('the store accepts an empty object', async () => {
  const { client } = await openStore()
  const key = { Bucket: bucket, Key: 'empty' }
  await client.send(new PutObjectCommand({ ...key, Body: new Uint8Array() }))
  const { Body, ContentLength, ETag } = await client.send(new GetObjectCommand(key))
  expect([await Body?.transformToString(), ContentLength, ETag]).toEqual([
    '',
    0,
    '"d41d8cd98f00b204e9800998ecf8427e"',
  ])
  expect(await refusalOf(client.send(new GetObjectCommand({ ...key, Range: 'bytes=0-' })))).toBe(
    'InvalidRange',
  )
})

test('the store keeps and returns a large object completely', async () => {
  const { client } = await openStore()
  const Body = Buffer.alloc(9 * 1024 * 1024, 'large')
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'large', Body }))
  const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'large' }))
  expect(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true)
})

test('the last of two writes replaces the first', async () => {
  const { client } = await openStore()
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'old', Metadata: { was: 'old' } }))
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'new' }))
  const { Body, Metadata } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' }))
  expect([await Body?.transformToString(), Metadata]).toEqual(['new', {}])
})

test('a missing key and a missing bucket have different error codes', async () => {
  const { client } = await openStore()
  const refusals = {
    get: await refusalOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: 'nothing' }))),
    head: await refusalOf(client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'nothing' }))),
    getElsewhere: await refusalOf(client.send(new GetObjectCommand({ Bucket: 'unknown', Key: 'a' }))),
    putElsewhere: await refusalOf(
      client.send(new PutObjectCommand({ Bucket: 'unknown', Key: 'a', Body: new Uint8Array() })),
    ),
  }
  expect(refusals).toEqual({
    get: 'NoSuchKey',
    head: 'NotFound',
    getElsewhere: 'NoSuchBucket',
    putElsewhere: 'NoSuchBucket',
  })
})

test.each([
  'Grüße/日本語/😀.txt',
  '../../../etc/passwd',
  './a',
  '..',
  'a//b/',
  '/',
  "it's (a) *key*! + & = ? # % \\",
  'line\nbreak and \u0000',
  '__proto__',
  'é'.normalize('NFD'),
])('the store keeps and returns an object with the key %j', async (Key) => {
  const { client } = await openStore()
  await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: `object ${Key}` }))
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
  expect(await Body?.transformToString()).toBe(`object ${Key}`)
})

test('two different keys identify two objects', async () => {
  const { client } = await openStore()
  const keys = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), {
    minLength: 2,
    maxLength: 2,
  })
  const holdsBoth = async (pair: string[]) => {
    for (const Key of pair) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))
    for (const Key of pair) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
      expect(await Body?.transformToString()).toBe(Key)
    }
  }
  await fc.assert(fc.asyncProperty(keys, holdsBoth), { numRuns: 30, interruptAfterTimeLimit: 20_000 })
})

test('long keys that differ only in the last character identify two objects', async () => {
  const { client } = await openStore()
  const keys = ['1', '2'].map((last) => `${'long/'.repeat(200)}${last}`)
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keys[0] }))
  expect(await Body?.transformToString()).toBe(keys[0])
})

test('a key can have at most 1024 bytes', async () => {
  const { client } = await openStore()
  const put = (Key: string) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: new Uint8Array() }))
  expect((await put('ü'.repeat(512))).ETag).toBeDefined()
  expect(await refusalOf(put(`${'ü'.repeat(512)}x`))).toBe('KeyTooLongError')
})

test('the store rejects a path that is not percent-encoded UTF-8', async () => {
  const { store } = await openStore()
  expect(codeOf(await send(store.url, { path: `/${bucket}/%ff` }))).toBe('InvalidURI')
})
