import type { ServerResponse } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { beforeEach, expect, test } from 'vitest'
import type { ActiveLease, ObjectStorage } from '../../src/storage/object-storage.ts'
import { openFakeStore, unavailable } from './fake-store.ts'

/**
 * Stores that no real one should be: each answers as its table says, because no store here can be made to. What
 * matters is that none of them makes an attachment ready.
 */
type Answer = (response: ServerResponse) => void
interface OddStore {
  /** Answers to HEAD: of the upload first, then of what is at the final key. */
  readonly heads?: readonly Answer[]
  readonly copy?: Answer
}

/** Silence ends with the time limit, which is short for it; all other answers come before theirs on any machine. */
const silence: Answer = () => {}
const halfAnAnswer: Answer = (response) => response.writeHead(200).write('<CopyObjectResult>')
const isSilent = (answer: Answer | undefined) => answer === silence || answer === halfAnAnswer

const etag = '5d41402abc4b2a76b9719d911017c592'
const otherETag = '0123456789abcdef0123456789abcdef'
const object = { ETag: `"${etag}"`, 'Content-Type': 'text/plain', 'Content-Length': '5' }
const answers =
  (status: number, headers: Record<string, string>): Answer =>
  (response) =>
    response.writeHead(status, headers).end()
const xml =
  (body: string): Answer =>
  (response) =>
    response.writeHead(200, { 'Content-Type': 'application/xml' }).end(body)
const copied = (tag: string) => xml(`<CopyObjectResult><ETag>${tag}</ETag></CopyObjectResult>`)

const requestCounts = { heads: 0, copies: 0 }
beforeEach(() => {
  Object.assign(requestCounts, { heads: 0, copies: 0 })
})

function openOddStore({ heads = [], copy = answers(500, {}) }: OddStore): Promise<ObjectStorage> {
  let headCount = 0
  const requestTimeoutMs = [...heads, copy].some(isSilent) ? 500 : undefined
  return openFakeStore(({ method }, response) => {
    requestCounts[method === 'PUT' ? 'copies' : 'heads'] += 1
    if (method === 'PUT') return copy(response)
    const answer = heads[headCount] ?? answers(200, object)
    headCount += 1
    answer(response)
  }, requestTimeoutMs)
}

const lease: ActiveLease = { signal: new AbortController().signal, renew: async () => {} }
const request = { id: newId(), etag, sizeBytes: 5, contentType: 'text/plain' }

test.each<[string, Answer, string]>([
  ['leaves out the ETag', answers(200, { ...object, ETag: '' }), 'NO_ETAG'],
  [
    'leaves out the length',
    answers(200, { ETag: `"${etag}"`, 'Content-Type': 'text/plain' }),
    'NO_CONTENT_LENGTH',
  ],
  ['sends the service elsewhere', answers(307, { Location: 'http://127.0.0.1:1/' }), '(HTTP 307)'],
  ['refuses the service', answers(403, {}), '(HTTP 403)'],
  ['fails again and again', answers(500, {}), '(HTTP 500)'],
  ['hangs up', (response) => response.destroy(), 'ECONNRESET'],
  ['says nothing', silence, 'AbortError'],
])('a description by a store that %s is none', async (_how, answer, message) => {
  const storage = await openOddStore({ heads: Array.from({ length: 3 }, () => answer) })
  await expect(storage.head(request.id, lease.signal)).rejects.toThrow(
    unavailable(message, { isInDoubt: false }),
  )
})

test.each<[string, Answer, string, boolean]>([
  ['leaves out the ETag', xml('<CopyObjectResult></CopyObjectResult>'), 'NO_ETAG', true],
  [
    'reports a failure inside a success',
    xml('<Error><Code>InternalError</Code></Error>'),
    'InternalError',
    false,
  ],
  ['refuses it', answers(403, {}), '(HTTP 403)', false],
  ['fails', answers(500, {}), '(HTTP 500)', false],
  ['is behind a proxy that gave up', answers(504, {}), '(HTTP 504)', true],
  ['hangs up', (response) => response.destroy(), 'ECONNRESET', true],
  ['says nothing', silence, 'AbortError', true],
  ['never ends its answer', halfAnAnswer, 'CopyObject', true],
])('a copy by a store that %s is none', async (_how, copy, message, isInDoubt) => {
  const storage = await openOddStore({ copy })
  await expect(storage.seal(request, lease)).rejects.toThrow(unavailable(message, { isInDoubt }))
  // A second copy could be verified while the store is still at work on the first.
  expect(requestCounts.copies).toBe(1)
})

test.each<[string, Answer, Answer]>([
  ['the copy has another ETag than was checked', copied(`"${otherETag}"`), answers(200, object)],
  [
    'the final object has another ETag than was checked',
    copied(`"${etag}"`),
    answers(200, { ...object, ETag: `"${otherETag}"` }),
  ],
  [
    'the final object has another size than was checked',
    copied(`"${etag}"`),
    answers(200, { ...object, 'Content-Length': '6' }),
  ],
  ['there is no final object', copied(`"${etag}"`), answers(404, {})],
])('when %s, the upload has changed', async (_what, copy, head) => {
  const storage = await openOddStore({ heads: [head], copy })
  expect(await storage.seal(request, lease)).toBe('changed')
})

test('when everything is as it was checked, the upload is sealed', async () => {
  const storage = await openOddStore({ copy: copied(etag) })
  expect(await storage.seal(request, lease)).toBe('sealed')
  expect(requestCounts).toEqual({ heads: 1, copies: 1 })
})
