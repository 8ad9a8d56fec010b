import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { bucket, openStore, refusalOf } from './harness.ts'

const etag = '"5d41402abc4b2a76b9719d911017c592"'
const otherEtag = '"00000000000000000000000000000000"'

async function openWithHello() {
  const { client, store } = await openStore({ buckets: [bucket, 'other-bucket'] })
  const put = {
    Bucket: bucket,
    Key: 'a',
    Body: 'hello',
    ContentType: 'text/plain',
    Metadata: { made: 'here' },
  }
  await client.send(new PutObjectCommand(put))
  const copy = (input: Partial<CopyObjectCommandInput> = {}) =>
    client.send(new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: `${bucket}/a`, ...input }))
  return { client, store, copy }
}

async function read(client: S3Client, Key: string): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
  return Body?.transformToString()
}

test('a copy has the bytes, ETag and metadata of its source', async () => {
  const { client, copy } = await openWithHello()
  const { CopyObjectResult } = await copy()
  expect(CopyObjectResult).toEqual({ ETag: etag, LastModified: expect.any(Date) })
  const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'copy' }))
  expect(head).toMatchObject({ ETag: etag, ContentType: 'text/plain', Metadata: { made: 'here' } })
  expect(await read(client, 'copy')).toBe('hello')
})

test('a copy can replace the metadata', async () => {
  const { client, copy } = await openWithHello()
  await copy({ MetadataDirective: 'REPLACE', ContentType: 'text/csv', Metadata: { copied: 'yes' } })
  const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'copy' }))
  expect(head).toMatchObject({ ContentType: 'text/csv', Metadata: { copied: 'yes' } })
})

test('a copy works between buckets and with encoded names', async () => {
  const { client } = await openWithHello()
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ü/+ %', Body: 'named' }))
  const CopySource = `/${bucket}/${encodeURIComponent('ü/+ %')}`
  await client.send(new CopyObjectCommand({ Bucket: 'other-bucket', Key: 'b', CopySource }))
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'other-bucket', Key: 'b' }))
  expect(await Body?.transformToString()).toBe('named')
})

test('the store copies an empty object', async () => {
  const { client, copy } = await openWithHello()
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'empty', Body: new Uint8Array() }))
  await copy({ CopySource: `${bucket}/empty` })
  expect(await read(client, 'copy')).toBe('')
})

test.each([
  [{ CopySourceIfMatch: etag }, 'copied'],
  [{ CopySourceIfMatch: otherEtag }, 'PreconditionFailed'],
  [{ CopySourceIfNoneMatch: otherEtag }, 'copied'],
  [{ CopySourceIfNoneMatch: etag }, 'PreconditionFailed'],
  [{ CopySourceIfUnmodifiedSince: new Date(0) }, 'PreconditionFailed'],
  [{ CopySourceIfModifiedSince: new Date(0) }, 'copied'],
])('a copy with the condition %j has the outcome %s', async (condition, outcome) => {
  const { client, copy } = await openWithHello()
  if (outcome === 'copied') {
    expect((await copy(condition)).CopyObjectResult?.ETag).toBe(etag)
  } else {
    expect(await refusalOf(copy(condition))).toBe(outcome)
    expect(await refusalOf(read(client, 'copy'))).toBe('NoSuchKey')
  }
})

test('with If-None-Match: *, copies and PUTs do not replace an object', async () => {
  const { client, copy } = await openWithHello()
  const put = (Body: string) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: 'copy', Body, IfNoneMatch: '*' }))
  await copy({ IfNoneMatch: '*' })
  expect(await refusalOf(copy({ IfNoneMatch: '*' }))).toBe('PreconditionFailed')
  expect(await refusalOf(put('other'))).toBe('PreconditionFailed')
  expect(await read(client, 'copy')).toBe('hello')
})

test('when several clients create one object concurrently, exactly one succeeds', async () => {
  const { client } = await openWithHello()
  const bodies = Array.from({ length: 20 }, (_, writer) => `writer ${writer}`)
  const outcomes = await Promise.allSettled(
    bodies.map((Body) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: 'new', Body, IfNoneMatch: '*' })),
    ),
  )
  const winners = bodies.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  expect(winners).toEqual([await read(client, 'new')])
})

test('the store rejects unsupported conditional writes', async () => {
  const { client, copy } = await openWithHello()
  expect(await refusalOf(copy({ IfMatch: etag }))).toBe('NotImplemented')
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'x', IfNoneMatch: etag })
  expect(await refusalOf(client.send(put))).toBe('NotImplemented')
})

test.each([
  [`${bucket}/nothing`, 'NoSuchKey'],
  ['unknown/a', 'NoSuchBucket'],
  ['no-key', 'InvalidArgument'],
  [`${bucket}/%ff`, 'InvalidArgument'],
  [`${bucket}/a?versionId=1`, 'NotImplemented'],
])('a copy of %s is rejected with the code %s', async (CopySource, code) => {
  const { copy } = await openWithHello()
  expect(await refusalOf(copy({ CopySource }))).toBe(code)
})

test('while its source changes, a conditional copy copies the requested version or fails', async () => {
  const { client, copy } = await openWithHello()
  const put = (Body: string) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body }))
  const wanted = 'wanted'.repeat(2_000)
  const other = 'other'.repeat(2_000)
  const { ETag: CopySourceIfMatch } = await put(wanted)

  let isCopying = true
  const overwrite = async () => {
    while (isCopying) {
      await put(other)
      await put(wanted)
    }
  }
  const outcomes: string[] = []
  const copyOften = async (worker: number) => {
    for (let round = 0; round < 25; round += 1) {
      const Key = `sealed/${worker}/${round}`
      const outcome = await copy({ Key, CopySourceIfMatch }).then(() => 'copied', nameOf)
      if (outcome === 'copied') expect((await read(client, Key)) === wanted).toBe(true)
      else expect(await refusalOf(read(client, Key))).toBe('NoSuchKey')
      outcomes.push(outcome)
    }
  }
  const writers = [overwrite(), overwrite()]
  await Promise.all([0, 1, 2, 3].map(copyOften)).finally(() => {
    isCopying = false
  })
  await Promise.all(writers)
  // Both outcomes must occur. Otherwise, no write happened during a copy.
  expect(new Set(outcomes)).toEqual(new Set(['copied', 'PreconditionFailed']))
})

function nameOf(error: Error): string {
  return error.name
}
