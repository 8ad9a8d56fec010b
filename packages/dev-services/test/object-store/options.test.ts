import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { type RequestLogEntry, startObjectStore } from '../../src/object-store/object-store.ts'
import { bucket, clientOf, credentials, openStore, refusalOf, send, temporaryDirectory } from './harness.ts'

test.each([
  ['directory', { directory: '' }],
  ['buckets', { buckets: [] }],
  ['buckets', { buckets: ['../elsewhere'] }],
  ['buckets', { buckets: ['.incoming'] }],
  ['buckets', { buckets: ['Upper'] }],
  ['buckets', { buckets: ['ab'] }],
  ['credentials', { credentials: [] }],
  ['credentials', { credentials: [{ accessKeyId: '', secretAccessKey: 'x' }] }],
  ['credentials', { credentials: [{ accessKeyId: 'a/b', secretAccessKey: 'x' }] }],
  ['credentials', { credentials: [{ accessKeyId: 'a', secretAccessKey: '' }] }],
  ['corsOrigins', { corsOrigins: ['*'] }],
  ['corsOrigins', { corsOrigins: ['https://app.example/'] }],
  ['corsOrigins', { corsOrigins: ['null'] }],
])('the start rejects an invalid option %s: %j', async (name, option) => {
  const options = { directory: '/nonexistent', buckets: [bucket], credentials: [credentials], ...option }
  await expect(startObjectStore(options)).rejects.toThrow(
    new TypeError(`startObjectStore: the option ${name} is invalid.`),
  )
})

test('a store listens on the given port, or on a free one by default', async () => {
  const { store } = await openStore()
  const port = Number(new URL(store.url).port)
  expect(port).toBeGreaterThan(0)
  await store.close()
  const again = await openStore({ port })
  expect(again.store.url).toBe(store.url)
  await expect(openStore({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('a store can be closed twice', async () => {
  const { store } = await openStore()
  await store.close()
  await expect(store.close()).resolves.toBeUndefined()
})

test('the store accepts every configured pair of credentials', async () => {
  const second = { accessKeyId: 'second', secretAccessKey: 'another secret' }
  const { store, client } = await openStore({ credentials: [credentials, second] })
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'x' }))
  const other = clientOf(store, { credentials: second })
  expect((await other.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' }))).ContentLength).toBe(1)
})

test('the log contains the operations, but no signature, URL or secret', async () => {
  const directory = await temporaryDirectory()
  const entries: RequestLogEntry[] = []
  const { client } = await openStore({ directory, log: (entry) => entries.push(entry) })
  const call = { bucket, key: 'a' }
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'x', Metadata: { note: 'private' } }),
  )
  await send(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: 'a' })))
  await refusalOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: 'b' })))

  expect(entries).toMatchObject([
    { method: 'PUT', status: 200, call: { ...call, operation: 'PutObject' }, requestId: expect.any(String) },
    { method: 'GET', status: 200, call: { ...call, operation: 'GetObject' }, durationMs: expect.any(Number) },
    {
      method: 'GET',
      status: 404,
      call: { bucket, key: 'b', operation: 'GetObject' },
      errorCode: 'NoSuchKey',
    },
  ])
  expect(JSON.stringify(entries)).not.toMatch(/Signature|Credential|http|private|test-key|test-secret/)
})

test('an error document contains the path without the query', async () => {
  const { client } = await openStore()
  const answer = await send(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: 'a' })))
  expect(answer.body).toContain(`<Resource>/${bucket}/a</Resource>`)
  expect(answer.body).toContain(`<RequestId>${answer.headers['x-amz-request-id']}</RequestId>`)
  expect(answer.body).not.toMatch(/Signature|test-key/)
})
