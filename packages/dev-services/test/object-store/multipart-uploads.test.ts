import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import type { RequestLogEntry } from '../../src/object-store/object-store.ts'
import { bucket, codeOf, openStore, refusalOf, send } from './harness.ts'
import { callsOf, key, minPartBytes, openUpload } from './multipart-harness.ts'

const md5 = (body: string | Buffer) => createHash('md5').update(body).digest()
const sha256 = (body: string) => createHash('sha256').update(body).digest('base64')

test('a completed object consists of its parts and has the headers of the creation', async () => {
  const headers = {
    ContentType: 'text/plain',
    ContentDisposition: 'attachment; filename="a.txt"',
    Metadata: { by: 'desk 4' },
  }
  const { client, put, complete, read } = await openUpload(headers)
  const first = 'a'.repeat(minPartBytes)
  const parts = [await put(1, first), await put(7, 'end')]
  expect(await refusalOf(read())).toBe('NoSuchKey')

  const ETag = `"${md5(Buffer.concat([md5(first), md5('end')])).toString('hex')}-2"`
  expect(await complete(parts)).toMatchObject({ ...key, ETag })
  expect((await read()) === `${first}end`).toBe(true)
  const described = { ...headers, ETag, ContentLength: minPartBytes + 3 }
  expect(await client.send(new HeadObjectCommand(key))).toMatchObject(described)
})

test('an upload leaves only the completed object on disk', async () => {
  const { directory, put, complete } = await openUpload()
  await complete([await put(1, 'whole')])
  expect(await readdir(join(directory, '.uploads', bucket))).toEqual([])
  expect(await readdir(join(directory, '.incoming'))).toEqual([])
  expect(await readdir(join(directory, bucket))).toHaveLength(1)
})

test('a completion stores only the parts that it lists', async () => {
  const { put, complete, read } = await openUpload()
  await put(1, 'left out')
  const second = await put(2, 'listed')
  await put(3, 'left out')
  await complete([second])
  expect(await read()).toBe('listed')
})

test('a replaced part has a new ETag, and a completion with the old ETag is rejected', async () => {
  const { put, list, complete, read } = await openUpload()
  const old = await put(1, 'old')
  const replaced = await put(1, 'replaced')
  expect(replaced.ETag).not.toBe(old.ETag)
  expect((await list()).Parts).toMatchObject([{ ...replaced, Size: 8 }])
  expect(await refusalOf(complete([old]))).toBe('InvalidPart')
  await complete([replaced])
  expect(await read()).toBe('replaced')
})

test('parts are listed in pages and in the order of their numbers', async () => {
  const { uploadId, put, list } = await openUpload()
  expect(await list()).toMatchObject({ UploadId: uploadId, IsTruncated: false })
  for (const number of [10_000, 2, 11, 1]) await put(number, `part ${number}`)

  const first = await list({ MaxParts: 3 })
  expect(first).toMatchObject({ ...key, MaxParts: 3, IsTruncated: true, NextPartNumberMarker: '11' })
  expect(first.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([1, 2, 11])
  const last = await list({ MaxParts: 3, PartNumberMarker: first.NextPartNumberMarker })
  expect(last).toMatchObject({ IsTruncated: false, PartNumberMarker: '11' })
  const ETag = `"${md5('part 10000').toString('hex')}"`
  expect(last.Parts).toEqual([{ PartNumber: 10_000, ETag, Size: 10, LastModified: expect.any(Date) }])
  expect(await list({ MaxParts: 0 })).toMatchObject({ IsTruncated: false })
  expect(await refusalOf(list({ MaxParts: -1 }))).toBe('InvalidArgument')
})

test('a presigned URL uploads a part', async () => {
  const { client, uploadId, complete, read } = await openUpload()
  const part = new UploadPartCommand({ ...key, UploadId: uploadId, PartNumber: 1 })
  const answer = await fetch(await getSignedUrl(client, part), { method: 'PUT', body: 'signed' })
  expect(answer.status).toBe(200)
  await complete([{ PartNumber: 1, ETag: answer.headers.get('ETag') ?? '' }])
  expect(await read()).toBe('signed')
})

test('a URL that was presigned for one part is invalid for another part', async () => {
  const { client, uploadId } = await openUpload()
  const part = new UploadPartCommand({ ...key, UploadId: uploadId, PartNumber: 1 })
  const url = (await getSignedUrl(client, part)).replace('partNumber=1', 'partNumber=2')
  expect(codeOf(await send(url, { method: 'PUT', body: 'x' }))).toBe('SignatureDoesNotMatch')
})

test('the store verifies the checksum of a part and keeps the old part after a mismatch', async () => {
  const { put, list } = await openUpload()
  const kept = await put(1, 'hello', { ChecksumSHA256: sha256('hello') })
  expect(await refusalOf(put(1, 'HELLO', { ChecksumSHA256: sha256('hello') }))).toBe('BadDigest')
  expect((await list()).Parts).toMatchObject([kept])
})

test('the store rejects checksums of the complete object', async () => {
  const { client, put, complete } = await openUpload()
  const create = new CreateMultipartUploadCommand({ ...key, ChecksumAlgorithm: 'SHA256' })
  expect(await refusalOf(client.send(create))).toBe('NotImplemented')
  const parts = [await put(1, 'x')]
  expect(await refusalOf(complete(parts, { ChecksumSHA256: sha256('x') }))).toBe('NotImplemented')
  const withChecksum = parts.map((part) => ({ ...part, ChecksumSHA256: sha256('x') }))
  expect(await refusalOf(complete(withChecksum))).toBe('NotImplemented')
})

test.each(['', 'unknown', '0'.repeat(64), '..', `../../.uploads/${bucket}`, '../'.repeat(8)])(
  'the upload id %j is unknown',
  async (id) => {
    const { client, directory } = await openUpload()
    const { put, list, complete } = callsOf(client, id)
    const calls = [put(1, 'x'), list(), complete([{ PartNumber: 1, ETag: 'x' }])]
    expect(await Promise.all(calls.map(refusalOf))).toEqual(Array(3).fill('NoSuchUpload'))
    expect(await readdir(directory)).toEqual(['.incoming', '.uploads', bucket])
  },
)

test('an upload id is unknown for another key', async () => {
  const { client, uploadId, put } = await openUpload()
  await put(1, 'x')
  const elsewhere = { ...key, Key: 'other', UploadId: uploadId }
  expect(await refusalOf(client.send(new ListPartsCommand(elsewhere)))).toBe('NoSuchUpload')
  const part = new UploadPartCommand({ ...elsewhere, PartNumber: 1, Body: 'y' })
  expect(await refusalOf(client.send(part))).toBe('NoSuchUpload')
})

test('the id of a completed upload is unknown', async () => {
  const { put, list, complete, read } = await openUpload()
  const parts = [await put(1, 'once')]
  await complete(parts)
  const calls = [put(2, 'late'), list(), complete(parts)]
  expect(await Promise.all(calls.map(refusalOf))).toEqual(Array(3).fill('NoSuchUpload'))
  expect(await read()).toBe('once')
})

test.each([0, 10_001, -1])('the part number %i is rejected', async (number) => {
  const { put } = await openUpload()
  expect(await refusalOf(put(number, 'x'))).toBe('InvalidArgument')
})

test('a rejected completion leaves the upload unchanged', async () => {
  const { put, complete, read } = await openUpload()
  const [small, large, last] = [
    await put(1, 'small'),
    await put(2, 'x'.repeat(minPartBytes)),
    await put(3, ''),
  ]
  const refused = {
    unknownPart: await refusalOf(complete([large, { PartNumber: 4, ETag: last.ETag }])),
    otherETag: await refusalOf(complete([large, { PartNumber: 3, ETag: large.ETag }])),
    descending: await refusalOf(complete([last, large])),
    repeated: await refusalOf(complete([large, large])),
    tooSmall: await refusalOf(complete([small, large])),
    noParts: await refusalOf(complete([])),
  }
  expect(refused).toEqual({
    unknownPart: 'InvalidPart',
    otherETag: 'InvalidPart',
    descending: 'InvalidPartOrder',
    repeated: 'InvalidPartOrder',
    tooSmall: 'EntityTooSmall',
    noParts: 'MalformedXML',
  })
  expect(await refusalOf(read())).toBe('NoSuchKey')
  await complete([large, last])
  expect((await read())?.length).toBe(minPartBytes)
})

const part = '<Part><PartNumber>1</PartNumber><ETag>"x"</ETag></Part>'

test.each([
  '',
  'text',
  '<CompleteMultipartUpload>',
  `<Other>${part}</Other>`,
  '<CompleteMultipartUpload><Part>1</Part></CompleteMultipartUpload>',
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
  `<CompleteMultipartUpload>${part.replace('1', 'one')}</CompleteMultipartUpload>`,
])('the list of parts %j is malformed', async (body) => {
  const { client, uploadId } = await openUpload()
  const url = await getSignedUrl(client, new CompleteMultipartUploadCommand({ ...key, UploadId: uploadId }))
  const answer = await send(url, { method: 'POST', body, headers: { 'Content-Length': body.length } })
  expect([answer.status, codeOf(answer)]).toEqual([400, 'MalformedXML'])
})

test.each(['%s', '"%s"', '&quot;%s&quot;', '&#34;%s&#34;', '&#x22;%s&#x22;'])(
  'a list of parts can contain the ETag as %s',
  async (format) => {
    const { client, uploadId, put } = await openUpload()
    await put(1, 'x')
    const body = `<CompleteMultipartUpload>${part.replace('"x"', format.replace('%s', md5('x').toString('hex')))}</CompleteMultipartUpload>`
    const url = await getSignedUrl(client, new CompleteMultipartUploadCommand({ ...key, UploadId: uploadId }))
    const answer = await send(url, { method: 'POST', body, headers: { 'Content-Length': body.length } })
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('-1&quot;</ETag>')])
  },
)

test('an upload survives a restart of the store', async () => {
  const { store, directory, uploadId, put } = await openUpload({ ContentType: 'text/plain' })
  const first = await put(1, 'a'.repeat(minPartBytes))
  await store.close()

  const { client } = await openStore({ directory })
  const later = callsOf(client, uploadId)
  expect((await later.list()).Parts).toMatchObject([first])
  await later.complete([first, await later.put(2, 'later')])
  expect((await later.read())?.slice(-6)).toBe('alater')
  expect((await client.send(new HeadObjectCommand(key))).ContentType).toBe('text/plain')
})

test('If-None-Match: * rejects a completion if the object exists, and the upload continues', async () => {
  const { client, put, complete, read } = await openUpload()
  await client.send(new PutObjectCommand({ ...key, Body: 'existing' }))
  const parts = [await put(1, 'uploaded')]
  expect(await refusalOf(complete(parts, { IfNoneMatch: '*' }))).toBe('PreconditionFailed')
  expect(await read()).toBe('existing')
  await complete(parts)
  expect(await read()).toBe('uploaded')
})

test('the log and the faults name the operations of an upload', async () => {
  const entries: RequestLogEntry[] = []
  const { store, put, list, complete } = await openUpload({}, { log: (entry) => entries.push(entry) })
  const parts = [await put(1, 'x')]
  await list()
  store.faults.fail({ status: 503, times: 1, operations: ['CompleteMultipartUpload'] })
  expect(await refusalOf(complete(parts))).toBe('ServiceUnavailable')
  await complete(parts)
  expect(entries.map(({ call, status }) => [call?.operation, status])).toEqual([
    ['CreateMultipartUpload', 200],
    ['UploadPart', 200],
    ['ListParts', 200],
    ['CompleteMultipartUpload', 503],
    ['CompleteMultipartUpload', 200],
  ])
})
