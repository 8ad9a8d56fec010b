import { createHash, randomBytes } from 'node:crypto'
import type { FileUpload } from '@vertical-kit/ui-client/stores'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { signIn } from '../signed-in.ts'
import {
  type AttachmentsStage,
  type OpenAttachments,
  openAttachmentsStage,
  untilDone,
  untilStatus,
} from './attachments-stage.ts'
import { createDrafts, openPage } from './reloaded-page.ts'
import { until } from './until.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage.close())
afterEach(() => {
  stage.store.faults.clear()
  stage.stored.length = 0
  vi.useRealTimers()
})

const mebibyte = 1_048_576
/** The service divides a file of this size into parts of 5 MiB. */
const partBytes = 5 * mebibyte
const partCount = 5
const bytes = randomBytes(22 * mebibyte)
const largeFile = () => new File([bytes], 'large.bin')

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const calls = (name: string) =>
  stage.stored.filter(({ call, status }) => call?.operation === name && status === 200).length
const requests = ({ gate }: OpenAttachments, pattern: RegExp) =>
  gate.sent.filter((line) => pattern.test(line)).length
const reservations = (attachments: OpenAttachments) => requests(attachments, /\/uploads$/)
const signings = (attachments: OpenAttachments) => requests(attachments, /^POST .*\/parts$/)
const sentBytes = (upload: FileUpload | undefined) =>
  upload?.status === 'transferring' ? upload.sentBytes : 0

/** Returns the id of the attachment whose parts were sent last. */
function attachmentId({ gate }: OpenAttachments): string {
  const [, id = ''] =
    /\/([^/]+)\/parts$/.exec(gate.sent.findLast((line) => line.endsWith('/parts')) ?? '') ?? []
  return id
}

async function expectStored({ client }: OpenAttachments, id: string): Promise<void> {
  const { url } = await client.attachments.download(id)
  const response = await fetch(url)
  expect(hashOf(new Uint8Array(await response.arrayBuffer()))).toBe(hashOf(bytes))
}

/** Adds the file. Resolves when the store has the first three parts and blocks the others. */
async function addUntilBlocked(attachments: OpenAttachments): Promise<void> {
  const blocked = Promise.withResolvers<void>()
  let callCount = 0
  stage.store.faults.before('UploadPart', async () => {
    callCount += 1
    if (callCount <= 3) return
    await until(attachments.$uploads, ([upload]) => sentBytes(upload) === 3 * partBytes)
    blocked.resolve()
    await neverEnds
  })
  attachments.add([largeFile()])
  await blocked.promise
}

const neverEnds = new Promise<never>(() => {})

/** Ends all requests to the store, so that no blocked part arrives later. */
function loseConnections(): void {
  stage.store.faults.unreachable()
}

/** Lets all delays of the session pass at once. */
async function skipDelays({ clock }: OpenAttachments): Promise<never> {
  for (let next = clock.nextWait(); ; ) {
    await next
    next = clock.nextWait()
    await clock.pass(60_000)
  }
}

async function addUntilFailure(attachments: OpenAttachments) {
  void skipDelays(attachments)
  await addUntilBlocked(attachments)
  loseConnections()
  const failed = await untilStatus(attachments, 'failed')
  stage.store.faults.clear()
  return failed
}

describe('a large file', () => {
  it('is sent in parts, and is downloaded with exactly the uploaded bytes', async () => {
    const attachments = await stage.open('clerk')
    const progress: number[] = []
    attachments.$uploads.subscribe(([upload]) => {
      if (upload?.status === 'transferring') progress.push(upload.sentBytes)
    })
    attachments.add([largeFile()])
    await untilDone(attachments)
    expect([calls('UploadPart'), calls('PutObject')]).toEqual([partCount, 0])
    expect(signings(attachments)).toBe(2)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect([progress.at(0), progress.at(-1)]).toEqual([0, bytes.length])
    await expectStored(attachments, attachments.$arrived.get()?.id ?? '')
  })

  it('is sent in one request if it has at most 16 MiB', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([new File([new Uint8Array(16 * mebibyte)], 'small.bin')])
    await untilDone(attachments)
    expect([calls('UploadPart'), calls('PutObject'), signings(attachments)]).toEqual([0, 1, 0])
  })

  it('is sent with new URLs for parts whose URL has expired', async () => {
    const attachments = await stage.open('clerk')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    attachments.add([largeFile()])
    await untilDone(attachments)
    // All URLs have expired by the clock of this page: each part is signed with others, and then alone.
    expect([calls('UploadPart'), signings(attachments)]).toEqual([partCount, 2 + partCount])
  })
})

describe('an interrupted transfer of parts', () => {
  it('repeats a part with a new URL if its URL has expired while it waited', async () => {
    const attachments = await stage.open('clerk')
    stage.store.faults.fail({ operations: ['UploadPart'], status: 503, times: 1 })
    const wait = attachments.clock.nextWait()
    attachments.add([largeFile()])
    await wait
    await until(attachments.$uploads, ([upload]) => sentBytes(upload) === bytes.length - partBytes)
    const signingsBefore = signings(attachments)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    await attachments.clock.pass(60_000)
    await untilDone(attachments)
    expect([signingsBefore, signings(attachments)]).toEqual([2, 3])
  })

  it('fails, and a retry sends only the missing parts of the same reservation', async () => {
    const attachments = await stage.open('clerk')
    const { step, error, canRetry, key } = await addUntilFailure(attachments)
    expect([step, error.code, error.status, canRetry]).toEqual([
      'transferring',
      'client.transfer_failed',
      0,
      true,
    ])
    const progress: number[] = []
    attachments.$uploads.subscribe(([upload]) => progress.push(sentBytes(upload)))
    attachments.retry(key)
    await untilDone(attachments)
    // No part was stored twice.
    expect([calls('UploadPart'), reservations(attachments)]).toEqual([partCount, 1])
    expect(progress.toSorted((one, other) => one - other).find((sent) => sent > 0)).toBe(3 * partBytes)
    await expectStored(attachments, attachments.$arrived.get()?.id ?? '')
  })

  // S3 asks clients to repeat a request after `500 InternalError`.
  it.each([500, 503] as const)('goes on if the store answers parts temporarily with %i', async (status) => {
    const attachments = await stage.open('clerk')
    void skipDelays(attachments)
    stage.store.faults.fail({ operations: ['UploadPart'], status, times: 3 })
    attachments.add([largeFile()])
    await untilDone(attachments)
    expect([calls('UploadPart'), reservations(attachments)]).toEqual([partCount, 1])
    await expectStored(attachments, attachments.$arrived.get()?.id ?? '')
  })

  it('fails if the store refuses a part repeatedly, and keeps its reservation', async () => {
    const attachments = await stage.open('clerk')
    void skipDelays(attachments)
    const fault = stage.store.faults.fail({ operations: ['UploadPart'], status: 503 })
    attachments.add([largeFile()])
    const { step, error, key } = await untilStatus(attachments, 'failed')
    expect([step, error.code, error.status]).toEqual(['transferring', 'client.transfer_failed', 503])
    fault.clear()
    attachments.retry(key)
    await untilDone(attachments)
    expect(reservations(attachments)).toBe(1)
    await expectStored(attachments, attachments.$arrived.get()?.id ?? '')
  })

  it('continues after a reload with the missing parts of the same reservation', async () => {
    const drafts = createDrafts()
    const before = await openPage(stage, drafts)
    await addUntilBlocked(before)
    before.session.close()
    loseConnections()
    stage.store.faults.clear()
    const after = await openPage(stage, drafts, before.target)
    const { key } = await untilStatus(after, 'interrupted')
    after.retry(key)
    await untilDone(after)
    expect([calls('UploadPart'), reservations(after)]).toEqual([partCount, 0])
    expect(after.$arrived.get()?.id).toBe(attachmentId(before))
    await expectStored(after, attachmentId(before))
  })

  it('keeps its parts if one of them was replaced during the verification', async () => {
    const attachments = await stage.open('clerk')
    const swap = stage.store.faults.before('CompleteMultipartUpload', async () => {
      const id = attachmentId(attachments)
      const { items } = await attachments.client.attachments.signParts({ id, partNumbers: [5] })
      await fetch(items[0]?.url ?? '', { method: 'PUT', body: new Uint8Array(bytes.length - 4 * partBytes) })
    })
    attachments.add([largeFile()])
    const { error, key } = await untilStatus(attachments, 'failed')
    expect(error.code).toBe('attachments.upload_changed')
    swap.clear()
    attachments.retry(key)
    await untilDone(attachments)
    expect([calls('UploadPart'), reservations(attachments)]).toEqual([partCount + 1, 1])
  })

  it('makes a new reservation and sends all parts if its reservation was deleted', async () => {
    const attachments = await stage.open('clerk')
    const { key } = await addUntilFailure(attachments)
    const { client } = await signIn(stage.host, 'clerk')
    await client.attachments.delete(attachmentId(attachments))
    attachments.retry(key)
    await untilDone(attachments)
    expect([calls('UploadPart'), reservations(attachments)]).toEqual([3 + partCount, 2])
    await expectStored(attachments, attachments.$arrived.get()?.id ?? '')
  })

  it('ends the requests of all parts when the user cancels the upload, and releases its reservation', async () => {
    const attachments = await stage.open('clerk')
    const blocked = Promise.withResolvers<void>()
    let callCount = 0
    stage.store.faults.before('UploadPart', async () => {
      callCount += 1
      if (callCount === 3) blocked.resolve()
      if (callCount <= 3) await neverEnds
    })
    attachments.add([largeFile()])
    await blocked.promise
    const id = attachmentId(attachments)
    attachments.cancel(attachments.$uploads.get()[0]?.key ?? '')
    expect(attachments.$uploads.get()).toEqual([])
    await expect
      .poll(() => attachments.client.attachments.complete(id).catch((error: unknown) => error))
      .toMatchObject({ code: 'attachments.deleted' })
    // A session sends three parts at once, so another file arrives only after the three requests have ended.
    attachments.add([largeFile()])
    await untilDone(attachments)
    expect(attachments.$list.get().items).toMatchObject([{ fileName: 'large.bin' }])
  })
})
