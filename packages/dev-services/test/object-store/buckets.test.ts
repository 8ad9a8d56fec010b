import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { bucket, clientOf, codeOf, openStore, refusalOf, send } from './harness.ts'

async function putAll(client: S3Client, keys: readonly string[]) {
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))
}

async function list(client: S3Client, input: Partial<ListObjectsV2CommandInput> = {}) {
  const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ...input }))
  return { ...page, keys: (page.Contents ?? []).map(({ Key }) => Key) }
}

test('HeadBucket succeeds only for a configured bucket', async () => {
  const { client } = await openStore()
  const head = await client.send(new HeadBucketCommand({ Bucket: bucket }))
  expect(head.BucketRegion).toBe('us-east-1')
  expect(await refusalOf(client.send(new HeadBucketCommand({ Bucket: 'unknown' })))).toBe('NotFound')
  expect(await refusalOf(list(client, { Bucket: 'unknown' }))).toBe('NoSuchBucket')
})

test.each([
  ['us-east-1', undefined],
  ['eu-central-1', 'eu-central-1'],
])('the location of a bucket in %s is %s', async (region, location) => {
  const { store } = await openStore({ region })
  const client = clientOf(store, { region })
  const { LocationConstraint } = await client.send(new GetBucketLocationCommand({ Bucket: bucket }))
  expect(LocationConstraint).toBe(location)
})

test('a list contains the metadata of each object', async () => {
  const { client } = await openStore()
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'hello' }))
  const { Contents, KeyCount, IsTruncated, Name } = await list(client)
  expect({ KeyCount, IsTruncated, Name }).toEqual({ KeyCount: 1, IsTruncated: false, Name: bucket })
  expect(Contents).toEqual([
    {
      Key: 'a',
      Size: 5,
      ETag: '"5d41402abc4b2a76b9719d911017c592"',
      LastModified: expect.any(Date),
      StorageClass: 'STANDARD',
    },
  ])
})

test('the list of an empty bucket is empty', async () => {
  const { client } = await openStore()
  expect(await list(client)).toMatchObject({ keys: [], KeyCount: 0, IsTruncated: false })
})

test('the store lists keys in UTF-8 byte order', async () => {
  const { client } = await openStore()
  // JavaScript sorts by UTF-16, which puts the emoji before the full-width letter.
  const ordered = ['A', 'a', 'a/b', 'a<&>"b', 'ä', 'Ａ', '😀']
  await putAll(client, ordered.toReversed())
  expect((await list(client)).keys).toEqual(ordered)
})

test('a list contains only keys that have the prefix and sort after the start key', async () => {
  const { client } = await openStore()
  await putAll(client, ['attachments/1', 'uploads/1', 'uploads/2', 'uploads/3'])
  expect((await list(client, { Prefix: 'uploads/' })).keys).toEqual(['uploads/1', 'uploads/2', 'uploads/3'])
  expect((await list(client, { Prefix: 'uploads/', StartAfter: 'uploads/1' })).keys).toEqual([
    'uploads/2',
    'uploads/3',
  ])
})

test('paging reaches the end during concurrent additions', async () => {
  const { client } = await openStore()
  const keys = Array.from({ length: 7 }, (_, index) => `key ${index}`)
  await putAll(client, keys)
  const seen: unknown[] = []
  let ContinuationToken: string | undefined
  do {
    const page = await list(client, { MaxKeys: 3, ...(ContinuationToken && { ContinuationToken }) })
    expect(page.keys.length).toBeLessThanOrEqual(3)
    seen.push(...page.keys)
    await putAll(client, ['added before'])
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken)
  expect(seen).toEqual(keys)
  expect((await list(client)).keys).toEqual(['added before', ...keys])
})

test('a page of zero keys is not truncated, and an invalid continuation token is rejected', async () => {
  const { client } = await openStore()
  await putAll(client, ['a'])
  expect(await list(client, { MaxKeys: 0 })).toMatchObject({ keys: [], IsTruncated: false })
  expect(await refusalOf(list(client, { ContinuationToken: '%%%' }))).toBe('InvalidArgument')
  expect(await refusalOf(list(client, { MaxKeys: -1 }))).toBe('InvalidArgument')
})

test('the store URL-encodes the listed keys on request, because XML cannot contain every character', async () => {
  const { client } = await openStore()
  await putAll(client, ['folder/line\nbreak \u0001'])
  expect((await list(client, { EncodingType: 'url' })).keys).toEqual(['folder/line%0Abreak%20%01'])
})

test('the store rejects all deletions', async () => {
  const { client } = await openStore()
  await putAll(client, ['a'])
  const Delete = { Objects: [{ Key: 'a' }] }
  expect(await refusalOf(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a' })))).toBe(
    'AccessDenied',
  )
  expect(await refusalOf(client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete })))).toBe(
    'AccessDenied',
  )
  expect(await refusalOf(client.send(new DeleteBucketCommand({ Bucket: bucket })))).toBe('AccessDenied')
  const presigned = await getSignedUrl(client, new DeleteObjectCommand({ Bucket: bucket, Key: 'a' }))
  expect(codeOf(await send(presigned, { method: 'DELETE' }))).toBe('AccessDenied')
  expect((await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' }))).ContentLength).toBe(1)
})

test('the store rejects requests to create or list buckets', async () => {
  const { client } = await openStore()
  expect(await refusalOf(client.send(new CreateBucketCommand({ Bucket: 'mine' })))).toBe('AccessDenied')
  expect(await refusalOf(client.send(new ListBucketsCommand()))).toBe('AccessDenied')
})

test('the store rejects requests for unsupported features', async () => {
  const { client } = await openStore()
  const key = { Bucket: bucket, Key: 'a' }
  const calls = [
    client.send(new GetObjectAclCommand(key)),
    client.send(new GetObjectCommand({ ...key, VersionId: '1' })),
    client.send(new ListMultipartUploadsCommand({ Bucket: bucket })),
    client.send(
      new UploadPartCopyCommand({ ...key, PartNumber: 1, UploadId: 'u', CopySource: `${bucket}/a` }),
    ),
    client.send(new PutObjectCommand({ ...key, Body: 'x', ServerSideEncryption: 'AES256' })),
    client.send(new PutObjectCommand({ ...key, Body: 'x', ACL: 'public-read' })),
    client.send(new ListObjectVersionsCommand({ Bucket: bucket })),
    list(client, { Delimiter: '/' }),
  ]
  expect(new Set(await Promise.all(calls.map(refusalOf)))).toEqual(new Set(['NotImplemented']))
})

test('the store rejects an unsupported method for an object', async () => {
  const { store } = await openStore()
  const client = clientOf(store)
  // The signature covers the method, so the method must change before signing.
  client.middlewareStack.add(
    (next) => (args) => next({ ...args, request: withMethod(args.request, 'PATCH') }),
    {
      step: 'build',
    },
  )
  expect(await refusalOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' })))).toBe(
    'MethodNotAllowed',
  )
})

function withMethod(request: unknown, method: string): unknown {
  return Object.assign(request as object, { method })
}
