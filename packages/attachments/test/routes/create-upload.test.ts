import { createHash } from 'node:crypto'
import { PresignedUpload, Upload } from '@vertical-kit/attachments/contract'
import { newId } from '@vertical-kit/core-audit'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attach,
  complete,
  expectJson,
  hello,
  newTarget,
  type PutUpload,
  put,
  refusalOf,
  reserve,
  targetParameters,
} from '../harness.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench

beforeAll(async () => {
  bench = await openRoutesBench({
    Attachments__MaxSizeBytes: '1000',
    Attachments__MaxActivePerObject: '1',
    Attachments__UploadLifetime: '00:05:00',
  })
})
afterAll(() => bench.close())

const path = '/api/attachments/uploads'
const send = (body: unknown) => bench.clerk('POST', path, { body })

test('a reservation returns 201 with the pending attachment and its upload request', async () => {
  const target = newTarget()
  const before = Date.now()
  const body = { target, fileName: '/tmp/Report.PDF', contentType: 'Application/PDF; q=1', sizeBytes: 7 }
  const response = await send({ ...body, unknown: true })
  const after = Date.now()
  expect(response.headers.get('cache-control')).toBe('no-store')
  const { attachment, upload } = v.parse(
    v.object({ ...Upload.entries, upload: PresignedUpload }),
    await expectJson(response, 201),
  )
  expect(attachment).toMatchObject({
    target,
    fileName: 'Report.PDF',
    contentType: 'application/pdf',
    sizeBytes: 7,
    status: 'pending',
    createdByDisplayName: 'Clara Clerk',
    completedAtUtc: null,
    sha256: null,
  })
  expect(attachment.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
  expect(upload.method).toBe('PUT')
  expect(upload.headers).toEqual({ 'Content-Type': 'application/pdf' })
  expect(new URL(upload.url).pathname).toBe(`/vertical-kit-attachments/uploads/${attachment.id}`)
  const expiresAtMs = Date.parse(upload.expiresAtUtc)
  expect(expiresAtMs - before).toBeGreaterThan(299_000 - 1_000)
  expect(expiresAtMs - after).toBeLessThanOrEqual(301_000)
})

test('the upload URL does not contain the file name', async () => {
  const fileName = 'canary-name.txt'
  const { upload } = await expectJson<PutUpload>(await send({ target: newTarget(), ...hello, fileName }), 201)
  expect(upload.url).not.toContain('canary')
})

const sha256Of = (text: string) => createHash('sha256').update(text).digest('base64')

test('with a declared hash, the store accepts only the bytes that have it', async () => {
  const sha256 = sha256Of('hello')
  const reserved = await reserve(bench.clerk, { sha256 })
  expect(reserved.attachment.sha256).toBe(sha256)
  expect(reserved.upload.headers).toEqual({ 'Content-Type': 'text/plain', 'x-amz-checksum-sha256': sha256 })
  const sent = async (bytes: string, headers: Record<string, string>) => {
    const upload = { ...reserved.upload, headers: { ...reserved.upload.headers, ...headers } }
    return (await put({ ...reserved, upload }, bytes)).status
  }
  expect(await sent('other', {})).toBe(400)
  expect(await sent('other', { 'x-amz-checksum-sha256': sha256Of('other') })).toBe(403)
  const { 'Content-Type': type } = reserved.upload.headers
  const undeclared = await fetch(reserved.upload.url, {
    method: 'PUT',
    headers: { 'Content-Type': type ?? '' },
    body: 'other',
  })
  expect(undeclared.status).toBe(403)
  expect(await refusalOf(await complete(bench.clerk, reserved.attachment.id))).toEqual({
    status: 409,
    code: 'attachments.upload_missing',
  })
  expect(await sent('hello', {})).toBe(200)
  const response = await complete(bench.clerk, reserved.attachment.id)
  expect(await expectJson(response, 200)).toMatchObject({ status: 'ready', sha256 })
})

test('lists return the declared hash', async () => {
  const sha256 = sha256Of('hello')
  const { id, target } = await attach(bench.clerk, { sha256 })
  const list = await bench.clerk('GET', `/api/attachments?${targetParameters(target)}`)
  expect(await expectJson(list, 200)).toMatchObject({ items: [{ id, sha256 }] })
})

test('a hash of null is no declared hash', async () => {
  const { attachment, upload } = await reserve(bench.clerk, { sha256: null })
  expect(attachment.sha256).toBeNull()
  expect(upload.headers).toEqual({ 'Content-Type': 'text/plain' })
})

test.each([
  ['an invalid file name', { fileName: '../' }, 'attachments.file_name_invalid', undefined],
  ['an unpaired surrogate in the name', { fileName: '\ud800' }, 'attachments.file_name_invalid', undefined],
  ['an invalid media type', { contentType: 'nonsense' }, 'attachments.content_type_invalid', undefined],
  ['a size over the limit', { sizeBytes: 1001 }, 'attachments.file_too_large', { maxSizeBytes: 1000 }],
  ['a negative size', { sizeBytes: -1 }, 'attachments.file_too_large', { maxSizeBytes: 1000 }],
])('a reservation of a file with %s returns 400', async (_what, change, code, context) => {
  const response = await send({ target: newTarget(), ...hello, ...change })
  expect(await refusalOf(response)).toEqual({
    status: 400,
    code,
    ...(context === undefined ? {} : { context }),
  })
})

test.each([
  ['a fractional size', { sizeBytes: 1.5 }, 'sizeBytes'],
  ['a size that is a string', { sizeBytes: '5' }, 'sizeBytes'],
  ['no size', { sizeBytes: undefined }, 'sizeBytes'],
  ['no file name', { fileName: undefined }, 'fileName'],
  ['a file name that is a number', { fileName: 5 }, 'fileName'],
  ['no content type', { contentType: undefined }, 'contentType'],
  ['an empty hash', { sha256: '' }, 'sha256'],
  ['a hash that is a number', { sha256: 5 }, 'sha256'],
  ['a hash of 31 bytes', { sha256: Buffer.alloc(31).toString('base64') }, 'sha256'],
  ['a hash in hexadecimal', { sha256: Buffer.alloc(32).toString('hex') }, 'sha256'],
  ['a hash without padding', { sha256: Buffer.alloc(32).toString('base64url') }, 'sha256'],
  ['a hash with unused bits', { sha256: `${'A'.repeat(42)}B=` }, 'sha256'],
  ['no target', { target: undefined }, 'target'],
  ['a target id that is not a UUID', { target: { ...newTarget(), id: '5' } }, 'target.id'],
  ['a type code that cannot be stored', { target: { ...newTarget(), typeCode: 'a\0' } }, 'target.typeCode'],
])('a body with %s returns 400 request.invalid with the path of the field', async (_what, change, field) => {
  const response = await send({ target: newTarget(), ...hello, ...change })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path: field }] })
})

test.each([
  ['an unknown kind', { kind: 'Register' }],
  ['an unknown type code', { typeCode: 'trade.unknown' }],
  ['the type code of journal entries and another kind', { typeCode: 'general_journal_entry' }],
  ['the type code of a document and the kind of journal entries', { kind: 'GeneralJournalEntry' }],
])('a target with %s returns 400 business_object.unsupported', async (_what, change) => {
  const response = await send({ target: { ...newTarget(), ...change }, ...hello })
  expect(await refusalOf(response)).toEqual({ status: 400, code: 'business_object.unsupported' })
})

test('a reservation returns 404 if the caller cannot read the target', async () => {
  const target = newTarget()
  bench.hidden.add(target.id)
  expect(await refusalOf(await send({ target, ...hello }))).toEqual({
    status: 404,
    code: 'business_object.not_found',
  })
})

test('a reservation returns 409 if the target has reached its limit of attachments', async () => {
  const target = newTarget()
  expect((await send({ target, ...hello })).status).toBe(201)
  expect(await refusalOf(await send({ target, ...hello }))).toEqual({
    status: 409,
    code: 'attachments.count_limit_exceeded',
    context: { maxActivePerObject: 1 },
  })
})

test('a body of more than 16 KiB returns 413', async () => {
  const body = JSON.stringify({ target: newTarget(), ...hello, padding: 'x'.repeat(16 * 1024) })
  expect(await refusalOf(await bench.clerk('POST', path, { body }))).toEqual({
    status: 413,
    code: 'request.too_large',
    context: { maxBytes: 16_384 },
  })
})

test('malformed JSON returns 400, and a content type other than JSON returns 415', async () => {
  expect(await refusalOf(await bench.clerk('POST', path, { body: '{' }))).toEqual({
    status: 400,
    code: 'request.malformed',
  })
  const headers = { 'Content-Type': 'text/plain' }
  expect(await refusalOf(await bench.clerk('POST', path, { body: '{}', headers }))).toEqual({
    status: 415,
    code: 'request.unsupported_media_type',
  })
})

test('a reservation without the create permission returns 403, even for an unsupported target', async () => {
  const target = { ...newTarget(), kind: 'Register', id: newId() }
  expect(await refusalOf(await bench.outsider('POST', path, { body: { target, ...hello } }))).toEqual({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.attachments.create' },
  })
})
