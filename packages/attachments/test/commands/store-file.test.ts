import { Readable } from 'node:stream'
import type { StoreFile } from '@vertical-kit/attachments'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AttachmentsHost, openAttachmentsHost, openStore } from '../harness.ts'
import { bytes, chunks, refusalBy, report, storedKeys } from '../stored-files.ts'

const maxSizeBytes = 1_000
let store: ObjectStore
/** A host that waits 60 seconds for the store. */
let host: AttachmentsHost
/** A host that waits one second for the store. */
let hastyHost: AttachmentsHost

const open = (timeoutSeconds: number) =>
  openAttachmentsHost({
    store,
    environment: {
      Attachments__MaxSizeBytes: String(maxSizeBytes),
      Attachments__Storage__RequestTimeoutSeconds: String(timeoutSeconds),
    },
  })

beforeAll(async () => {
  store = await openStore()
  host = await open(60)
  hastyHost = await open(1)
})
afterEach(() => {
  store.faults.clear()
  vi.useRealTimers()
})
afterAll(async () => {
  await hastyHost.close()
  await host.close()
  await store.close()
})

const storeIn = (of: AttachmentsHost, file: Partial<StoreFile> & Pick<StoreFile, 'body'>) =>
  of.attachments.store({ ...report, ...file })

/** Tries to store a file, clears all faults, checks that the store has no new objects, and returns the refusal. */
async function refusalWithoutObject(
  of: AttachmentsHost,
  { fault, ...file }: Parameters<typeof storeIn>[1] & { readonly fault?: () => unknown },
) {
  const before = await storedKeys(store)
  fault?.()
  const refusal = await refusalBy(storeIn(of, file))
  store.faults.clear()
  expect(await storedKeys(store)).toEqual(before)
  return refusal
}

describe('attachments.store', () => {
  test.each<[string, () => StoreFile['body'], number | undefined]>([
    ['a byte array', () => bytes('hello'), undefined],
    ['a byte array with its length', () => bytes('hello'), 5],
    ['a web stream of known length', () => new Blob(['hello']).stream(), 5],
    ['a web stream of unknown length', () => new Blob(['hello']).stream(), undefined],
    ['a Node stream', () => Readable.from([Buffer.from('hel'), Buffer.from('lo')]), 5],
    ['an iterable with empty chunks', () => chunks(['', 'hel', '', 'lo', '']), 5],
    ['an iterable of unknown length', () => chunks(['hel', 'lo']), undefined],
  ])('stores %s completely at the final key', async (_what, body, sizeBytes) => {
    const stored = await storeIn(host, { body: body(), ...(sizeBytes === undefined ? {} : { sizeBytes }) })
    expect(stored).toMatchObject({ ...report, sizeBytes: 5 })
    expect(await storedKeys(store)).toContain(`attachments/${stored.id}`)
  })

  test.each<[string, () => StoreFile['body'], number | undefined]>([
    ['an empty byte array', () => new Uint8Array(), undefined],
    ['an iterable of length 0 without chunks', () => chunks([]), 0],
    ['an iterable of unknown length without chunks', () => chunks([]), undefined],
  ])('stores %s as an empty file', async (_what, body, sizeBytes) => {
    const stored = await storeIn(host, { body: body(), ...(sizeBytes === undefined ? {} : { sizeBytes }) })
    expect(stored.sizeBytes).toBe(0)
    expect(await storedKeys(store)).toContain(`attachments/${stored.id}`)
  })
})

test('the file name and the content type are normalised', async () => {
  const stored = await storeIn(host, {
    fileName: 'C:\\out\\Offer\u202e.pdf ',
    contentType: 'Application/PDF; a=b',
    body: bytes('x'),
  })
  expect(stored).toMatchObject({ fileName: 'Offer.pdf', contentType: 'application/pdf' })
})

test.each<[string, Partial<StoreFile>, string]>([
  ['an invalid file name', { fileName: 'a/..' }, 'attachments.file_name_invalid'],
  ['an invalid media type', { contentType: 'pdf' }, 'attachments.content_type_invalid'],
  ['a declared length over the limit', { sizeBytes: maxSizeBytes + 1 }, 'attachments.file_too_large'],
  ['a negative length', { sizeBytes: -1 }, 'attachments.file_too_large'],
])('a file with %s is rejected before its body is read', async (_what, file, code) => {
  const body = chunks(['x'])
  expect(await refusalWithoutObject(host, { body, ...file })).toMatchObject({ code })
  expect(await body.next()).toMatchObject({ done: false })
})

test.each([Number.NaN, 1.5, Number.POSITIVE_INFINITY])('the length %d is rejected', async (sizeBytes) => {
  await expect(storeIn(host, { body: bytes('x'), sizeBytes })).rejects.toThrow(TypeError)
})

test('a body that exceeds the maximum size is rejected', async () => {
  const body = new Uint8Array(maxSizeBytes + 1)
  expect(await refusalWithoutObject(host, { body })).toEqual({
    code: 'attachments.file_too_large',
    context: { maxSizeBytes },
  })
})

test('an endless stream is cancelled as soon as it exceeds the maximum size', async () => {
  const cancelled = Promise.withResolvers<void>()
  let pulledBytes = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulledBytes += 100
      controller.enqueue(new Uint8Array(100))
    },
    cancel: () => cancelled.resolve(),
  })
  expect(await refusalWithoutObject(host, { body })).toMatchObject({ code: 'attachments.file_too_large' })
  await cancelled.promise
  expect(pulledBytes).toBeLessThanOrEqual(maxSizeBytes + 300)
})

test.each([
  ['is shorter than declared', ['hel'], 5],
  ['is longer than declared', ['hello', '!'], 5],
  ['exceeds the declared length within a chunk', ['hello!'], 5],
])('a stream that %s is rejected with size_mismatch and not stored', async (_how, texts, sizeBytes) => {
  expect(await refusalWithoutObject(host, { body: chunks(texts), sizeBytes })).toEqual({
    code: 'attachments.size_mismatch',
  })
})

test.each([
  ['before its first byte', []],
  ['after some bytes', ['hel']],
  ['after its last byte', ['hel', 'lo']],
])('if a stream throws %s, store rejects with this error and stores nothing', async (_when, texts) => {
  const failure = new Error('the printer is out of paper')
  for (const length of [{ sizeBytes: 5 }, {}]) {
    const refusal = await refusalWithoutObject(host, { body: chunks(texts, failure), ...length })
    expect(refusal).toBe(failure.message)
  }
})

test('a stream that fails long after its last byte is not stored', async () => {
  const body = (async function* () {
    yield* chunks(['hel', 'lo'])
    // Here, the store has enough time to answer the first request. It would answer if it had received all bytes.
    await storeIn(host, { body: bytes('another file') })
    throw new Error('the printer is out of paper')
  })()
  const before = await storedKeys(store)
  expect(await refusalBy(storeIn(host, { body, sizeBytes: 5 }))).toBe('the printer is out of paper')
  expect(await storedKeys(store)).toHaveLength(before.length + 1)
})

test('a stream that yields a string throws a TypeError', async () => {
  const body = Readable.from(['hello'])
  const refusal = await refusalWithoutObject(host, { body, sizeBytes: 5 })
  expect(refusal).toBe('body must yield Uint8Array chunks')
})

test.each([
  ['cannot be reached', () => store.faults.unreachable(), () => host],
  ['fails', () => store.faults.fail({ status: 500 }), () => host],
  ['is overloaded', () => store.faults.fail({ status: 503 }), () => host],
  ['does not answer', () => store.faults.hang(), () => hastyHost],
] as const)('if the store %s, the file is rejected and not stored', async (_how, fault, of) => {
  const file = { body: chunks(['hel', 'lo']), sizeBytes: 5, fault }
  expect(await refusalWithoutObject(of(), file)).toEqual({
    code: 'attachments.storage_unavailable',
  })
})

test('the time limit of the store does not apply to a slow source', async () => {
  // The first call opens the connection. The fake timers would otherwise trigger the connection timeout of the SDK.
  await storeIn(host, { body: bytes('hello') })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const body = (async function* () {
    for (const text of ['hel', 'lo']) {
      vi.advanceTimersByTime(120_000)
      yield bytes(text)
    }
    vi.advanceTimersByTime(120_000)
  })()
  await expect(storeIn(host, { body, sizeBytes: 5 })).resolves.toMatchObject({ sizeBytes: 5 })
})

test('an abort of the signal stops a transfer to the store', async () => {
  const hang = store.faults.hang()
  const ending = new AbortController()
  const refusal = refusalBy(storeIn(host, { body: bytes('hello'), signal: ending.signal }))
  await hang.reached
  ending.abort(new Error('the job was cancelled'))
  expect(await refusal).toBe('the job was cancelled')
})

test('an abort of the signal stops the wait for a source of unknown length', async () => {
  const reading = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    pull() {
      reading.resolve()
      return new Promise(() => {})
    },
  })
  const ending = new AbortController()
  const refusal = refusalBy(storeIn(host, { body, signal: ending.signal }))
  await reading.promise
  ending.abort(new Error('the job was cancelled'))
  expect(await refusal).toBe('the job was cancelled')
})

test('storing a file uses no database connection', async () => {
  const hang = store.faults.hang()
  const storing = storeIn(host, { body: bytes('hello') })
  await hang.reached
  expect(host.database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
  hang.clear()
  await storing
})

test('a failed transfer writes nothing to the console', async () => {
  const warn = vi.spyOn(console, 'warn')
  store.faults.fail({ status: 500 })
  await refusalBy(storeIn(host, { body: chunks(['hello']), sizeBytes: 5 }))
  expect(warn).not.toHaveBeenCalled()
})
