import { createHash } from 'node:crypto'
import { MultipartUpload, PresignedParts, UploadedParts } from '@vertical-kit/attachments/contract'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  attach,
  complete,
  expectJson,
  newTarget,
  type PutUpload,
  put,
  putPart,
  refusalOf,
  reserve,
  reserveAndPutPart,
  reserveParts,
  signedPart,
} from '../harness.ts'
import { backdate, eventCodes, storedAttachment } from '../rows.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench

beforeAll(async () => {
  bench = await openRoutesBench()
})
afterEach(() => bench.store.faults.clear())
afterAll(() => bench.close())

const mebibyte = 1024 ** 2
const partBytes = 5 * mebibyte
/** A file of two parts. */
const file = Buffer.concat([Buffer.alloc(partBytes, 'a'), Buffer.from('end')])
const declared = { fileName: 'film.bin', contentType: 'video/mp4', sizeBytes: file.length }

const uploads = '/api/attachments/uploads'
const listParts = (id: string, request = bench.clerk) => request('GET', `/api/attachments/${id}/parts`)
const signParts = (id: string, partNumbers: unknown, request = bench.clerk) =>
  request('POST', `/api/attachments/${id}/parts`, { body: { partNumbers } })
const refusedCompletion = async (id: string) => refusalOf(await complete(bench.clerk, id))
const send = async (id: string, partNumber: number, bytes: Uint8Array<ArrayBuffer>) =>
  putPart(await signedPart(bench.clerk, id, partNumber), bytes)

async function downloaded(id: string): Promise<Buffer> {
  const response = await bench.clerk('POST', `/api/attachments/${id}/download`)
  const { url } = await expectJson<{ url: string }>(response, 200)
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}

test('a reservation in parts returns their size and number, and lasts as long as the upload can be completed', async () => {
  const { attachment, upload } = await reserveParts(bench.clerk, declared)
  expect(attachment).toMatchObject({ status: 'pending', sizeBytes: file.length })
  const dayMs = 24 * 60 * 60 * 1_000
  expect(v.parse(MultipartUpload, upload)).toEqual({
    method: 'MULTIPART',
    partSizeBytes: partBytes,
    partCount: 2,
    expiresAtUtc: new Date(Date.parse(attachment.createdAtUtc) + dayMs).toISOString(),
  })
})

test('a file that was sent in parts is downloadable after its completion', async () => {
  const { id } = (await reserveParts(bench.clerk, declared)).attachment
  const { items } = v.parse(PresignedParts, await expectJson(await signParts(id, [2, 1]), 200))
  expect(items.map(({ partNumber, method, headers }) => ({ partNumber, method, headers }))).toEqual([
    { partNumber: 2, method: 'PUT', headers: {} },
    { partNumber: 1, method: 'PUT', headers: {} },
  ])
  const [end = '', start = ''] = items.map(({ url }) => url)
  expect(await putPart(end, file.subarray(partBytes))).toBe(200)
  expect(await putPart(start, file.subarray(0, partBytes))).toBe(200)
  const ready = await expectJson(await complete(bench.clerk, id), 200)
  expect(ready).toMatchObject({ id, status: 'ready', ...declared })
  expect((await downloaded(id)).equals(file)).toBe(true)
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'upload_completed'])
  expect(await expectJson(await complete(bench.clerk, id), 200)).toEqual(ready)
})

test('the list contains the parts that the store has', async () => {
  const { attachment, upload } = await reserveParts(bench.clerk, declared)
  const { partSizeBytes, partCount, expiresAtUtc } = upload
  const listed = async () => v.parse(UploadedParts, await expectJson(await listParts(attachment.id), 200))
  expect(await listed()).toEqual({ partSizeBytes, partCount, expiresAtUtc, items: [] })
  await send(attachment.id, 2, file.subarray(partBytes))
  expect((await listed()).items).toEqual([{ partNumber: 2, sizeBytes: 3 }])
  await send(attachment.id, 1, file.subarray(0, partBytes))
  expect((await listed()).items).toEqual([
    { partNumber: 1, sizeBytes: partBytes },
    { partNumber: 2, sizeBytes: 3 },
  ])
})

test('a part with another length is refused by the store', async () => {
  const { id } = (await reserveParts(bench.clerk, declared)).attachment
  for (const bytes of ['en', 'ends']) expect(await send(id, 2, Buffer.from(bytes))).toBe(403)
  expect(await expectJson(await listParts(id), 200)).toMatchObject({ items: [] })
})

test('an empty file is sent in one request, even if parts are requested', async () => {
  const body = { target: newTarget(), ...declared, sizeBytes: 0, multipart: true }
  const reserved = await expectJson<PutUpload>(await bench.clerk('POST', uploads, { body }), 201)
  expect(reserved.upload.method).toBe('PUT')
  await put(reserved, '')
  const { id } = reserved.attachment
  expect(await expectJson(await complete(bench.clerk, id), 200)).toMatchObject({ sizeBytes: 0 })
})

test('an upload can be completed after missing parts were sent and wrong parts were sent again', async () => {
  const { id } = (await reserveParts(bench.clerk, declared)).attachment
  const missing = { status: 409, code: 'attachments.upload_missing' }
  expect(await refusedCompletion(id)).toEqual(missing)
  await send(id, 2, Buffer.from('end'))
  expect(await refusedCompletion(id)).toEqual(missing)
  await send(id, 1, file.subarray(0, partBytes))
  // The signed URL does not accept another length, so the test changes the stored declaration instead.
  await bench.database.statement((tx) =>
    tx.execute(sql`update attachments.attachments set size_bytes = size_bytes + 1 where id = ${id}::uuid`),
  )
  expect(await refusedCompletion(id)).toEqual({ status: 409, code: 'attachments.size_mismatch' })
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'pending', is_leased: false })
  await send(id, 2, Buffer.from('end!'))
  expect((await complete(bench.clerk, id)).status).toBe(200)
  expect((await downloaded(id)).equals(Buffer.concat([file, Buffer.from('!')]))).toBe(true)
})

test('lists return the hash that was declared for a file in parts', async () => {
  const sha256 = createHash('sha256').update('hello').digest('base64')
  expect((await reserveParts(bench.clerk, { sha256 })).attachment.sha256).toBe(sha256)
})

test('the signed URLs contain neither the file name nor the session of the caller', async () => {
  const { id } = (await reserveParts(bench.clerk, { fileName: 'canary-name.txt' })).attachment
  const url = await signedPart(bench.clerk, id)
  expect(url).not.toContain('canary')
  expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('600')
})

test.each([
  ['no numbers', [], 'partNumbers'],
  ['more than 100 numbers', Array.from({ length: 101 }, () => 1), 'partNumbers'],
  ['the number 0', [1, 0], 'partNumbers.1'],
  ['a fraction', [1.5], 'partNumbers.0'],
  ['a text', ['1'], 'partNumbers.0'],
  ['a number above the number of parts', [2, 3], 'partNumbers.1'],
])('a request to sign %s returns 400 request.invalid with the path', async (_what, numbers, path) => {
  const { id } = (await reserveParts(bench.clerk, declared)).attachment
  const response = await signParts(id, numbers)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path }] })
})

describe.each([
  ['listing parts', listParts],
  ['signing parts', (id: string, request = bench.clerk) => signParts(id, [1], request)],
])('%s', (_what, request) => {
  const refused = async (id: string) => refusalOf(await request(id))
  const none = { status: 409, code: 'attachments.no_multipart_upload' }

  test('of an upload in one request returns 409', async () => {
    expect(await refused((await reserve(bench.clerk)).attachment.id)).toEqual(none)
  })

  test('of a ready file returns 409', async () => {
    expect(await refused((await attach(bench.clerk)).id)).toEqual(none)
    const { id } = (await reserveAndPutPart(bench.clerk)).attachment
    await complete(bench.clerk, id)
    expect(await refused(id)).toEqual(none)
  })

  test('of a deleted or expired upload returns 409', async () => {
    const [deleted, expired] = [await reserveParts(bench.clerk), await reserveParts(bench.clerk)]
    await bench.clerk('DELETE', `/api/attachments/${deleted.attachment.id}`)
    await backdate(bench.database, expired.attachment.id, bench.config.pendingStaleAgeMs)
    expect(await refused(deleted.attachment.id)).toEqual({ status: 409, code: 'attachments.deleted' })
    expect(await refused(expired.attachment.id)).toEqual({ status: 409, code: 'attachments.upload_expired' })
  })

  test('of an upload of another user, of a hidden object or of an unknown upload returns 404', async () => {
    const notFound = { status: 404, code: 'attachments.not_found' }
    const { attachment } = await reserveAndPutPart(bench.clerk)
    expect(await refusalOf(await request(attachment.id, bench.colleague))).toEqual(notFound)
    bench.hidden.add(attachment.target.id)
    expect(await refused(attachment.id)).toEqual(notFound)
    expect(await refused('not-an-id')).toEqual(notFound)
  })

  test('without the create permission returns 403', async () => {
    const { id } = (await reserveParts(bench.clerk)).attachment
    expect(await refusalOf(await request(id, bench.outsider))).toEqual({
      status: 403,
      code: 'permission.denied',
      context: { permission: 'system.attachments.create' },
    })
  })
})

test('if the store has removed the parts of an upload, the list is empty and the file is missing', async () => {
  const { id } = (await reserveAndPutPart(bench.clerk)).attachment
  await bench.database.statement((tx) =>
    tx.execute(sql`
      update attachments.attachments set multipart_upload_id = 'removed' where id = ${id}::uuid`),
  )
  expect(await expectJson(await listParts(id), 200)).toMatchObject({ items: [] })
  expect(await refusedCompletion(id)).toMatchObject({ status: 409, code: 'attachments.upload_missing' })
  expect(await send(id, 1, Buffer.from('hello'))).toBe(404)
})

test('while the store is unreachable, parts can be reserved, and all else returns 503 and loses nothing', async () => {
  const { id } = (await reserveAndPutPart(bench.clerk)).attachment
  const fault = bench.store.faults.unreachable()
  const fresh = (await reserveParts(bench.clerk)).attachment
  const unavailable = { status: 503, code: 'attachments.storage_unavailable' }
  for (const response of [
    await signParts(fresh.id, [1]),
    await listParts(id),
    await complete(bench.clerk, id),
  ]) {
    expect(await refusalOf(response)).toEqual(unavailable)
  }
  fault.clear()
  expect((await complete(bench.clerk, id)).status).toBe(200)
  expect(await send(fresh.id, 1, Buffer.from('hello'))).toBe(200)
})
