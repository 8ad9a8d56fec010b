import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import type { ObjectStorage } from '../../src/storage/object-storage.ts'
import { openFakeStore, unavailable } from './fake-store.ts'

/** Sends a response that a real store never sends. The tests check that no such response makes an attachment ready. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void

const xml =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body)
const error = (code: string, status: number) => xml(`<Error><Code>${code}</Code></Error>`, status)

const upload = { id: newId(), uploadId: 'upload' }
const part = { partNumber: 1, sizeBytes: 5, etag: '"a"' }
const listed = (body: string) => xml(`<ListPartsResult><UploadId>upload</UploadId>${body}</ListPartsResult>`)
const join = (storage: ObjectStorage) => storage.joinParts({ ...upload, parts: [part], sizeBytes: 5 })
const calls = {
  start: (storage: ObjectStorage) => storage.startParts({ id: upload.id, contentType: 'text/plain' }),
  list: (storage: ObjectStorage) => storage.listParts(upload),
  join,
}

test.each<[keyof typeof calls, string, Answer, string]>([
  ['start', 'names no upload', xml('<InitiateMultipartUploadResult/>'), 'NO_UPLOAD_ID'],
  ['start', 'rejects the request', error('AccessDenied', 403), 'AccessDenied (HTTP 403)'],
  [
    'list',
    'omits the size of a part',
    listed('<Part><PartNumber>1</PartNumber><ETag>"a"</ETag></Part>'),
    'NO_PART',
  ],
  [
    'list',
    'omits the ETag of a part',
    listed('<Part><PartNumber>1</PartNumber><Size>5</Size></Part>'),
    'NO_PART',
  ],
  ['list', 'names no next page', listed('<IsTruncated>true</IsTruncated>'), 'NO_MARKER'],
  ['list', 'sends an empty page', xml(''), 'NO_LIST'],
  ['list', 'sends a page of a proxy', xml('<html><body>Sign in</body></html>'), 'NO_LIST'],
  ['list', 'rejects the request', error('AccessDenied', 403), 'AccessDenied (HTTP 403)'],
  // S3 sends the status before it has joined the parts.
  ['join', 'reports an error with status 200', error('InternalError', 200), 'InternalError'],
  ['join', 'rejects the request', error('AccessDenied', 403), 'AccessDenied (HTTP 403)'],
])('if the store answers “%s” and %s, the call fails', async (call, _what, answer, message) => {
  const storage = await openFakeStore((request, response) => answer(response, request))
  await expect(calls[call](storage)).rejects.toEqual(unavailable(message))
})

test.each([
  ['InvalidPart', 400, 'changed'],
  ['NoSuchUpload', 404, 'unknown'],
])('if the store answers %s with status %i to a join, the result is “%s”', async (code, status, outcome) => {
  const storage = await openFakeStore((request, response) => error(code, status)(response, request))
  expect(await join(storage)).toBe(outcome)
})

test.each([
  ['NoSuchUpload', 404],
  // Ceph 16.
  ['NoSuchKey', 404],
])('if the store answers %s to a list of parts, the upload is unknown', async (code, status) => {
  const storage = await openFakeStore((request, response) => error(code, status)(response, request))
  expect(await storage.listParts(upload)).toBeNull()
})

test('a page that is the last one ends the list, even if the store names a next page', async () => {
  const page = '<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>"a"</ETag></Part>'
  const storage = await openFakeStore((request, response) =>
    listed(`<IsTruncated>false</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>${page}`)(
      response,
      request,
    ),
  )
  expect(await storage.listParts(upload)).toEqual([part])
})
