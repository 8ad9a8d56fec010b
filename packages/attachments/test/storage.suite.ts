import { createHash } from 'node:crypto'
import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { StorageConfig } from '../src/config.ts'
import type { ObjectStorage, SealRequest, StagedObject } from '../src/storage/object-storage.ts'
import { createS3Storage } from '../src/storage/s3-storage.ts'
import { createStoreClock } from '../src/storage/store-clock.ts'
import { chunks } from './chunks.ts'
import { describeParts } from './storage-parts.suite.ts'

/** The store that the suite tests, with the credentials of an application. */
export interface StoreUnderTest {
  readonly url: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  close(): Promise<void>
}

export interface StorageSuiteOptions {
  readonly name: string
  /** Whether the store rejects a copy if a condition fails. Attachments are also safe on stores that ignore conditions. */
  readonly honoursCopyConditions: boolean
  /** Whether the store rejects an upload whose bytes do not have the signed hash. */
  readonly verifiesHashes: boolean
  open(): Promise<StoreUnderTest>
}

const uploadLifetimeMs = 600_000
const downloadLifetimeMs = 180_000
const contentType = 'text/plain'

/** Defines tests for the behaviour that attachments expect from a store. The tests use the S3 protocol. */
export function describeStorage(options: StorageSuiteOptions): void {
  const { name, honoursCopyConditions, verifiesHashes, open } = options
  describe(`storage on ${name}`, () => {
    let store: StoreUnderTest
    let storage: ObjectStorage

    const openStorage = (overrides: Partial<StorageConfig> = {}, now: () => number = Date.now) => {
      const config: StorageConfig = {
        internalEndpoint: store.url,
        publicEndpoint: store.url,
        region: 'us-east-1',
        bucket: store.bucket,
        accessKey: store.accessKeyId,
        secretKey: store.secretAccessKey,
        requestTimeoutMs: 20_000,
        ...overrides,
      }
      return createS3Storage({ config, uploadLifetimeMs, downloadLifetimeMs, now, signingNow: now })
    }
    const put = async (id: string, bytes: string, headers: Record<string, string> = {}) => {
      const signed = await storage.signPut({ id, contentType })
      return fetch(signed.url, { method: 'PUT', headers: { ...signed.headers, ...headers }, body: bytes })
    }
    const upload = async (id: string, bytes: string): Promise<SealRequest> => {
      expect((await put(id, bytes)).status).toBe(200)
      return toSeal(id, await storage.head(id))
    }
    const download = async (id: string, { fileName = 'a.txt', sealAttempt = 1 } = {}) =>
      fetch((await storage.signGet({ id, sealAttempt, fileName })).url)
    const sealedText = async (id: string, sealAttempt = 1) => (await download(id, { sealAttempt })).text()

    beforeAll(async () => {
      store = await open()
      storage = openStorage()
    })
    afterAll(() => store.close())

    test('head returns the metadata of an uploaded object, or null if no object was uploaded', async () => {
      const id = newId()
      expect(await storage.head(id)).toBeNull()
      await put(id, 'hello')
      expect(await storage.head(id)).toEqual({
        etag: '5d41402abc4b2a76b9719d911017c592',
        sizeBytes: 5,
        contentType,
      })
    })

    test('after sealing, a download returns the uploaded bytes', async () => {
      const id = newId()
      expect(await storage.seal(await upload(id, 'hello'))).toBe('sealed')
      expect(await sealedText(id)).toBe('hello')
    })

    test('an empty file can be sealed', async () => {
      const id = newId()
      const request = await upload(id, '')
      expect(request.sizeBytes).toBe(0)
      expect(await storage.seal(request)).toBe('sealed')
      expect(await sealedText(id)).toBe('')
    })

    test('an upload cannot be downloaded before it is sealed', async () => {
      const id = newId()
      await upload(id, 'hello')
      expect((await download(id)).status).toBe(404)
    })

    test('if an upload is replaced after the check, seal returns changed', async () => {
      const id = newId()
      const checked = await upload(id, 'hello')
      await put(id, 'HELLO')
      expect(await storage.seal(checked)).toBe('changed')
    })

    test('an upload that was replaced can be sealed by the next attempt, after another check', async () => {
      const id = newId()
      const checked = await upload(id, 'hello')
      await put(id, 'HELLO')
      await storage.seal(checked)
      const replaced = toSeal(id, await storage.head(id))
      expect(await storage.seal({ ...replaced, sealAttempt: 2 })).toBe('sealed')
      expect(await sealedText(id, 2)).toBe('HELLO')
    })

    test('a late copy of an earlier attempt does not change the bytes that a later attempt has sealed', async () => {
      const id = newId()
      const late = await upload(id, 'first')
      const current = { ...(await upload(id, 'other')), sealAttempt: 2 }
      expect(await storage.seal(current)).toBe('sealed')
      await upload(id, 'first')
      await storage.seal(late)
      expect(await sealedText(id, 2)).toBe('other')
    })

    test('a second upload with the same URL does not change sealed bytes', async () => {
      const id = newId()
      await storage.seal(await upload(id, 'hello'))
      expect((await put(id, 'HELLO')).status).toBe(200)
      expect(await sealedText(id)).toBe('hello')
    })

    test('extra headers of an upload are not copied to the sealed object', async () => {
      const id = newId()
      await put(id, 'hello', {
        'Cache-Control': 'public, max-age=31536000',
        'Content-Disposition': 'inline',
        'Content-Encoding': 'gzip',
        'Content-Language': 'xx',
      })
      await storage.seal(toSeal(id, await storage.head(id)))
      const { headers } = await download(id)
      expect(headers.get('content-encoding')).toBeNull()
      expect(headers.get('content-language')).toBeNull()
      expect(headers.get('cache-control')).toBe('no-store')
    })

    describeParts(() => ({ storage, bucket: store.bucket }))

    test('a signed upload URL cannot copy another object', async () => {
      const [secret, id] = [newId(), newId()]
      await storage.put({ id: secret, contentType, sizeBytes: 6, body: chunks('SECRET') })
      const copying = { 'x-amz-copy-source': `/${store.bucket}/attachments/${secret}` }
      const { url, headers } = await storage.signPut({ id, contentType })
      const response = await fetch(url, { method: 'PUT', headers: { ...headers, ...copying } })
      expect(response.status).toBe(403)
      expect(await storage.head(id)).toBeNull()
    })

    test('a file that the service stores is downloadable, and an upload with its id does not change it', async () => {
      const id = newId()
      await storage.put({ id, contentType, sizeBytes: 5, body: chunks('hel', 'lo') })
      expect((await put(id, 'HELLO')).status).toBe(200)
      expect(await sealedText(id)).toBe('hello')
    })

    test('the service can store an empty file', async () => {
      const id = newId()
      await storage.put({ id, contentType, sizeBytes: 0, body: chunks() })
      expect(await sealedText(id)).toBe('')
    })

    test('a file is not stored if its body throws', async () => {
      const id = newId()
      const body = (async function* () {
        yield* chunks('hel')
        throw new Error('out of paper')
      })()
      await expect(storage.put({ id, contentType, sizeBytes: 5, body })).rejects.toThrow('out of paper')
      expect((await download(id)).status).toBe(404)
    })

    test('storing a file does not overwrite an existing file', async () => {
      const id = newId()
      await storage.put({ id, contentType, sizeBytes: 5, body: chunks('first') })
      await expect(
        storage.put({ id, contentType, sizeBytes: 5, body: chunks('other') }),
      ).rejects.toMatchObject({ code: 'attachments.storage_unavailable' })
      expect(await sealedText(id)).toBe('first')
    })

    test('an upload is rejected if its content type differs from the signed content type', async () => {
      const id = newId()
      const response = await put(id, '<script>', { 'Content-Type': 'text/html' })
      expect(response.status).toBe(403)
      expect(await storage.head(id)).toBeNull()
    })

    test('a signed upload URL is rejected if its id is replaced', async () => {
      const [id, other] = [newId(), newId()]
      const signed = await storage.signPut({ id, contentType })
      const response = await fetch(signed.url.replace(id, other), {
        method: 'PUT',
        headers: signed.headers,
        body: 'hello',
      })
      expect(response.status).toBe(403)
    })

    test(`the store ${verifiesHashes ? 'accepts only the bytes with the signed hash' : 'ignores the signed hash'}`, async () => {
      const id = newId()
      const sha256 = createHash('sha256').update('hello').digest('base64')
      const signed = await storage.signPut({ id, contentType, sha256 })
      const send = (body: string) => fetch(signed.url, { method: 'PUT', headers: signed.headers, body })
      expect((await send('other')).status).toBe(verifiesHashes ? 400 : 200)
      expect((await send('hello')).status).toBe(200)
    })

    test('the store rejects signed URLs after their expiry', async () => {
      const past = openStorage({}, () => Date.now() - uploadLifetimeMs - 5_000)
      const id = newId()
      const signed = await past.signPut({ id, contentType })
      expect(Date.parse(signed.expiresAtUtc)).toBeLessThan(Date.now())
      const response = await fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'hello' })
      expect(response.status).toBe(403)
      await storage.seal(await upload(id, 'hello'))
      expect((await fetch((await past.signGet({ id, sealAttempt: 1, fileName: 'a.txt' })).url)).status).toBe(
        403,
      )
    })

    test.each([
      ['ten minutes ahead', 600_000],
      ['ten minutes behind', -600_000],
      ['an hour ahead', 3_600_000],
    ])('the store accepts all requests if the clock of the host is %s', async (_case, shiftMs) => {
      const databaseNow = Date.now
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + shiftMs })
      onTestFinished(() => void vi.useRealTimers())
      const skewed = openStorage({}, databaseNow)
      const [id, own] = [newId(), newId()]
      const signed = await skewed.signPut({ id, contentType })
      const stored = await fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'hello' })
      expect(stored.status).toBe(200)
      expect(await skewed.seal(toSeal(id, await skewed.head(id)))).toBe('sealed')
      await skewed.put({ id: own, contentType, sizeBytes: 5, body: chunks('hello') })
      for (const file of [id, own]) {
        const { url } = await skewed.signGet({ id: file, sealAttempt: 1, fileName: 'a.txt' })
        expect(await (await fetch(url)).text()).toBe('hello')
      }
    })

    test('the store tells its time to a request without credentials', async () => {
      const minuteMs = 60_000
      const clock = createStoreClock({ endpoint: store.url, now: () => Date.now() - minuteMs })
      await clock.worker.runOnce(new AbortController().signal)
      expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000)
    })

    test.each([
      ['a plain name', 'report.txt'],
      ['a name with quotes and separators', `a"b';c, d=e%20&f#g?.txt`],
      ['a name of 255 emoji', '😀'.repeat(255)],
    ])(
      'a download of a file with %s has headers that force saving under this name',
      async (_what, fileName) => {
        const id = newId()
        await storage.seal(await upload(id, 'hello'))
        const { status, headers } = await download(id, { fileName })
        expect(status).toBe(200)
        expect(headers.get('content-type')).toBe('application/octet-stream')
        expect(headers.get('cache-control')).toBe('no-store')
        const disposition = headers.get('content-disposition') ?? ''
        expect(disposition).toMatch(/^attachment; /)
        expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(fileName)
      },
    )

    test('if the store rejects the credentials, head fails and the error contains only the status', async () => {
      const stranger = openStorage({ secretKey: 'wrong-secret-canary' })
      const refusal = await stranger.head(newId()).catch((error: unknown) => error)
      expect(refusal).toMatchObject({
        code: 'attachments.storage_unavailable',
        cause: { message: expect.stringMatching(/^HeadObject failed: \w+ \(HTTP 403\)$/) },
      })
    })

    test(`the store ${honoursCopyConditions ? 'rejects' : 'executes'} a copy if its conditions fail`, async () => {
      const id = newId()
      const checked = await upload(id, 'hello')
      await put(id, 'HELLO')
      await storage.seal(checked)
      expect((await download(id)).status).toBe(honoursCopyConditions ? 404 : 200)
    })

    test(`the store ${honoursCopyConditions ? 'rejects' : 'executes'} a second copy to the key of an attempt`, async () => {
      const checked = await upload(newId(), 'hello')
      expect(await storage.seal(checked)).toBe('sealed')
      expect(await storage.seal(checked)).toBe(honoursCopyConditions ? 'changed' : 'sealed')
    })
  })
}

function toSeal(id: string, staged: StagedObject | null): SealRequest {
  if (staged === null) throw new Error('Nothing was uploaded')
  return { id, sealAttempt: 1, contentType, etag: staged.etag, sizeBytes: staged.sizeBytes }
}
