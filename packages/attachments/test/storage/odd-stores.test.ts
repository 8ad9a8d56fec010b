import type { ServerResponse } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { beforeEach, expect, test } from 'vitest'
import type { ObjectStorage } from '../../src/storage/object-storage.ts'
import { openFakeStore, unavailable } from './fake-store.ts'

/** Sends a response that a real store never sends. The tests check that no such response makes an attachment ready. */
type Answer = (response: ServerResponse) => void
interface OddStore {
  /** The responses to the HEAD requests, in order. Further HEAD requests receive the metadata of the upload. */
  readonly heads?: readonly Answer[]
  readonly copy?: Answer
  /** The response to a GET request, which follows a HEAD request with the status 404. */
  readonly get?: Answer
}

/** Never sends a response. A test with this answer uses a short time limit, so that it ends soon. */
const silence: Answer = () => {}
const halfAnAnswer: Answer = (response) => response.writeHead(200).write('<CopyObjectResult>')
const anotherProtocol: Answer = ({ socket }) =>
  socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
const isSilent = (answer: Answer | undefined) =>
  answer === silence || answer === halfAnAnswer || answer === anotherProtocol

const etag = '5d41402abc4b2a76b9719d911017c592'
const otherETag = '0123456789abcdef0123456789abcdef'
const object = { ETag: `"${etag}"`, 'Content-Type': 'text/plain', 'Content-Length': '5' }
const answers =
  (status: number, headers: Record<string, string>): Answer =>
  (response) =>
    response.writeHead(status, headers).end()
const xml =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body)
const failure = (code: string) => xml(`<Error><Code>${code}</Code></Error>`, 404)
const notMet = xml('<Error><Code>PreconditionFailed</Code></Error>', 412)
const copied = (tag: string) => xml(`<CopyObjectResult><ETag>${tag}</ETag></CopyObjectResult>`)

const requestCounts = { heads: 0, copies: 0 }
beforeEach(() => {
  Object.assign(requestCounts, { heads: 0, copies: 0 })
})

function openOddStore({
  heads = [],
  copy = answers(500, {}),
  get = answers(404, {}),
}: OddStore): Promise<ObjectStorage> {
  let headCount = 0
  const requestTimeoutMs = [...heads, copy].some(isSilent) ? 500 : undefined
  return openFakeStore(({ method }, response) => {
    if (method === 'GET') return get(response)
    requestCounts[method === 'PUT' ? 'copies' : 'heads'] += 1
    if (method === 'PUT') return copy(response)
    const answer = heads[headCount] ?? answers(200, object)
    headCount += 1
    answer(response)
  }, requestTimeoutMs)
}

const request = { id: newId(), sealAttempt: 1, etag, sizeBytes: 5, contentType: 'text/plain' }

test.each<[string, Answer, string]>([
  ['omits the ETag', answers(200, { ...object, ETag: '' }), 'NO_ETAG'],
  [
    'omits the length',
    answers(200, { ETag: `"${etag}"`, 'Content-Type': 'text/plain' }),
    'NO_CONTENT_LENGTH',
  ],
  ['sends a redirect', answers(307, { Location: 'http://127.0.0.1:1/' }), '(HTTP 307)'],
  ['rejects the request', answers(403, {}), '(HTTP 403)'],
  ['is behind a proxy that does not find it', answers(404, {}), '(HTTP 404)'],
  ['always fails', answers(500, {}), '(HTTP 500)'],
  ['closes the connection', (response) => response.destroy(), 'ECONNRESET'],
  ['does not answer', silence, 'AbortError'],
  ['switches to another protocol', anotherProtocol, 'AbortError'],
])('head fails if the store %s', async (_how, answer, message) => {
  const storage = await openOddStore({ heads: Array.from({ length: 3 }, () => answer) })
  await expect(storage.head(request.id)).rejects.toThrow(unavailable(message))
})

test.each<[string, Answer]>([
  ['the bucket is missing', failure('NoSuchBucket')],
  ['the object exists after all', answers(200, object)],
  ['a proxy answers with a page', xml('<html>default backend - 404</html>', 404)],
  ['the store does not answer', (response) => response.destroy()],
])('head does not report a missing object if %s', async (_what, get) => {
  const storage = await openOddStore({ heads: [answers(404, {})], get })
  await expect(storage.head(request.id)).rejects.toThrow(
    unavailable('HeadObject failed: NotFound (HTTP 404)'),
  )
})

test('head returns null for an object that the store does not have', async () => {
  const storage = await openOddStore({ heads: [answers(404, {})], get: failure('NoSuchKey') })
  expect(await storage.head(request.id)).toBeNull()
})

test.each<[string, Answer, string]>([
  ['omits the ETag', xml('<CopyObjectResult></CopyObjectResult>'), 'NO_ETAG'],
  [
    'reports an error with a success status',
    xml('<Error><Code>InternalError</Code></Error>'),
    'InternalError',
  ],
  ['rejects the request', answers(403, {}), '(HTTP 403)'],
  ['fails', answers(500, {}), '(HTTP 500)'],
  ['is behind a proxy that timed out', answers(504, {}), '(HTTP 504)'],
  ['is behind a proxy that knows another condition', answers(412, {}), '(HTTP 412)'],
  ['is behind a proxy that sends a page', xml('<html>412</html>', 412), '(HTTP 412)'],
  ['closes the connection', (response) => response.destroy(), 'ECONNRESET'],
  ['does not answer', silence, 'AbortError'],
  ['switches to another protocol', anotherProtocol, 'AbortError'],
  ['never completes its response', halfAnAnswer, 'CopyObject'],
])('a copy fails if the store %s', async (_how, copy, message) => {
  const storage = await openOddStore({ copy })
  await expect(storage.seal(request)).rejects.toThrow(unavailable(message))
  // The copy must not be retried: the store could still execute the first copy after the second was verified.
  expect(requestCounts.copies).toBe(1)
})

test.each<[string, Answer, Answer]>([
  ['a condition of the copy is not met', notMet, answers(200, object)],
  ['the ETag of the copy differs from the checked ETag', copied(`"${otherETag}"`), answers(200, object)],
  [
    'the ETag of the final object differs from the checked ETag',
    copied(`"${etag}"`),
    answers(200, { ...object, ETag: `"${otherETag}"` }),
  ],
  [
    'the size of the final object differs from the checked size',
    copied(`"${etag}"`),
    answers(200, { ...object, 'Content-Length': '6' }),
  ],
  ['the final object is missing', copied(`"${etag}"`), answers(404, {})],
])('seal returns changed if %s', async (_what, copy, head) => {
  const storage = await openOddStore({ heads: [head], copy, get: failure('NoSuchKey') })
  expect(await storage.seal(request)).toBe('changed')
})

test('seal returns sealed if the copy and the final object match the checked upload', async () => {
  const storage = await openOddStore({ copy: copied(etag) })
  expect(await storage.seal(request)).toBe('sealed')
  expect(requestCounts).toEqual({ heads: 1, copies: 1 })
})
