import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { readParts } from '../../src/object-store/parts.ts'
import { bucket, refusalOf } from './harness.ts'
import { key, minPartBytes, openUpload } from './multipart-harness.ts'
import { startUpload } from './slow-upload.ts'

test('only one of several simultaneous completions succeeds', async () => {
  const { store, put, complete, read } = await openUpload()
  const parts = [await put(1, 'a'.repeat(minPartBytes)), await put(2, 'end')]
  const arrived = Promise.withResolvers<void>()
  let arrivedCount = 0
  store.faults.before('CompleteMultipartUpload', () => {
    arrivedCount += 1
    if (arrivedCount === 3) arrived.resolve()
    return arrived.promise
  })
  const completions = [1, 2, 3].map(() =>
    complete(parts).then(
      () => 'completed',
      (error: Error) => error.name,
    ),
  )
  const outcomes = await Promise.all(completions)
  expect(outcomes.toSorted()).toEqual(['NoSuchUpload', 'NoSuchUpload', 'completed'])
  expect((await read())?.length).toBe(minPartBytes + 3)
})

test('a part that arrives during the completion is rejected at its end', async () => {
  const { client, directory, uploadId, put, complete, read } = await openUpload()
  const parts = [await put(1, 'first')]
  const late = new UploadPartCommand({ ...key, UploadId: uploadId, PartNumber: 1 })
  const finishUpload = await startUpload(await getSignedUrl(client, late), join(directory, '.incoming'))
  await complete(parts)
  expect(await finishUpload()).toBe(404)
  expect(await read()).toBe('first')
  expect(await readdir(join(directory, '.incoming'))).toEqual([])
})

test('a part that is replaced right before the completion makes the completion fail', async () => {
  const { store, put, list, complete, read } = await openUpload()
  const parts = [await put(1, 'first')]
  store.faults.before('CompleteMultipartUpload', () => put(1, 'replaced'))
  expect(await refusalOf(complete(parts))).toBe('InvalidPart')
  expect(await refusalOf(read())).toBe('NoSuchKey')
  expect((await list()).Parts).toHaveLength(1)
})

test('a part that is replaced while a completion reads the parts is detected', async () => {
  const { directory, uploadId, put } = await openUpload()
  const parts = [await put(1, 'first'), await put(2, 'second')]
  const listed = parts.map(({ PartNumber, ETag = '' }) => ({
    partNumber: PartNumber,
    etag: ETag.replaceAll('"', ''),
  }))
  const content = readParts(join(directory, '.uploads', bucket, uploadId), listed)
  expect(String((await content.next()).value)).toBe('first')
  await put(2, 'replaced')
  await expect(content.next()).rejects.toMatchObject({ code: 'InvalidPart' })
})

test('an object that is written right before a conditional completion stays', async () => {
  const { client, store, put, complete, read } = await openUpload()
  const parts = [await put(1, 'uploaded')]
  const overtake = () => client.send(new PutObjectCommand({ ...key, Body: 'faster' }))
  store.faults.before('CompleteMultipartUpload', overtake)
  expect(await refusalOf(complete(parts, { IfNoneMatch: '*' }))).toBe('PreconditionFailed')
  expect(await read()).toBe('faster')
})

test('a reader finds either no object or the complete object while a completion runs', async () => {
  const { put, complete, read } = await openUpload()
  const parts = [await put(1, 'a'.repeat(minPartBytes)), await put(2, 'end')]
  let isCompleted = false
  const completion = complete(parts).then(() => {
    isCompleted = true
  })
  const seen = new Set<unknown>()
  do
    seen.add(
      await read().then(
        (body) => body?.length,
        (error: Error) => error.name,
      ),
    )
  while (!isCompleted)
  await completion
  const allowed = ['NoSuchKey', minPartBytes + 3]
  expect([...seen].filter((result) => !allowed.includes(result as string))).toEqual([])
  expect((await read())?.length).toBe(minPartBytes + 3)
})
