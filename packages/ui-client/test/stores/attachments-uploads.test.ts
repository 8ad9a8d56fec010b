import { accessStore, attachmentsStore } from '@vertical-kit/ui-client/stores'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { signIn, targetOf } from '../signed-in.ts'
import {
  type AttachmentsStage,
  fileOf,
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

const reservations = ({ gate }: OpenAttachments) =>
  gate.sent.filter((line) => line.endsWith('/uploads')).length
const transfers = () => stage.stored.filter(({ call }) => call?.operation === 'PutObject').length

/** Delays the response to the next reservation, and resolves with the body of this response. */
async function nextReservation({ gate }: OpenAttachments) {
  const hold = gate.hold(/\/uploads$/)
  const body = (await (await hold.reached).json()) as {
    attachment: { id: string }
    upload: { url: string; method: string; headers: Record<string, string> }
  }
  return { ...body, release: hold.release }
}

async function expectDeleted(id: string, user = 'clerk'): Promise<void> {
  const { client } = await signIn(stage.host, user)
  await expect
    .poll(() => client.attachments.complete(id).catch((error: unknown) => error))
    .toMatchObject({ code: 'attachments.deleted' })
}

describe('a retried upload', () => {
  it('sends the bytes again to the reserved key after a lost connection', async () => {
    const attachments = await stage.open('clerk')
    const held = stage.store.faults.hang({ operations: ['PutObject'] })
    attachments.add([fileOf('a.txt', 2_000_000)])
    await held.reached
    stage.store.faults.unreachable()
    const { step, error, canRetry, key } = await untilStatus(attachments, 'failed')
    expect([step, error.code, error.status, canRetry]).toEqual([
      'transferring',
      'client.transfer_failed',
      0,
      true,
    ])
    stage.store.faults.clear()
    void attachments.retry(key)
    await untilDone(attachments)
    expect(reservations(attachments)).toBe(1)
    expect(attachments.$list.get().items).toMatchObject([{ fileName: 'a.txt', sizeBytes: 2_000_000 }])
  })

  it('repeats only the verification if the object store was unavailable during the verification', async () => {
    const attachments = await stage.open('clerk')
    stage.store.faults.fail({ operations: ['CopyObject'], status: 503 })
    attachments.add([fileOf('a.txt', 10)])
    const { step, error, key } = await untilStatus(attachments, 'failed')
    expect([step, error.code]).toEqual(['verifying', 'attachments.storage_unavailable'])
    stage.store.faults.clear()
    void attachments.retry(key)
    await untilDone(attachments)
    expect([reservations(attachments), transfers()]).toEqual([1, 1])
  })

  it('is shown as being verified while the service answers 503, and is verified after each Retry-After', async () => {
    const attachments = await stage.open('clerk')
    const statuses = new Set<string>()
    attachments.$uploads.subscribe(([upload]) => upload !== undefined && statuses.add(upload.status))
    stage.store.faults.fail({ operations: ['CopyObject'], status: 503, times: 3 })
    attachments.add([fileOf('a.txt', 10)])
    await untilDone(attachments)
    expect([...statuses]).toEqual(['queued', 'reserving', 'transferring', 'verifying'])
    expect(attachments.waitsMs).toHaveLength(3)
    expect(Math.min(...attachments.waitsMs)).toBeGreaterThanOrEqual(5_000)
    expect([reservations(attachments), transfers()]).toEqual([1, 1])
  })

  it('repeats the verification after a lost response', async () => {
    const attachments = await stage.open('clerk')
    const hold = attachments.gate.hold(/\/complete$/)
    attachments.add([fileOf('a.txt', 10)])
    await hold.reached
    hold.lose()
    await untilDone(attachments)
    expect([reservations(attachments), transfers()]).toEqual([1, 1])
    expect(attachments.$list.get().items).toHaveLength(1)
  })

  it('makes a new reservation after a size mismatch, and releases the first reservation', async () => {
    const attachments = await stage.open('clerk')
    const reservation = nextReservation(attachments)
    attachments.add([fileOf('a.txt', 10)])
    const { attachment, upload, release } = await reservation
    // Another sender with the URL, or a proxy, replaces the bytes. The store keeps the bytes of the last transfer.
    let isReplaced = false
    stage.store.faults.before('HeadObject', async () => {
      if (isReplaced) return
      isReplaced = true
      await fetch(upload.url, { method: upload.method, headers: upload.headers, body: 'other' })
    })
    release()
    const { step, error, canRetry, key } = await untilStatus(attachments, 'failed')
    expect([step, error.code, canRetry]).toEqual(['verifying', 'attachments.size_mismatch', true])
    void attachments.retry(key)
    await untilDone(attachments)
    expect(attachments.$list.get().items).toMatchObject([{ fileName: 'a.txt', sizeBytes: 10 }])
    await expectDeleted(attachment.id)
  })

  it('makes a new reservation if the URL has expired', async () => {
    const attachments = await stage.open('clerk')
    stage.store.faults.fail({ operations: ['PutObject'], status: 500, times: 1 })
    attachments.add([fileOf('a.txt', 10)])
    const { step, error, key } = await untilStatus(attachments, 'failed')
    expect([step, error.status]).toEqual(['transferring', 500])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    void attachments.retry(key)
    await untilDone(attachments)
    expect(reservations(attachments)).toBe(2)
  })
})

describe('a cancelled upload', () => {
  it('is aborted during the transfer, and releases its reservation', async () => {
    const attachments = await stage.open('clerk')
    const held = stage.store.faults.hang({ operations: ['PutObject'] })
    attachments.add([fileOf('a.txt', 2_000_000), fileOf('b.txt', 10)])
    const call = await held.reached
    const [first] = attachments.$uploads.get()
    attachments.cancel(first?.key ?? '')
    expect(attachments.$uploads.get()).toHaveLength(1)
    held.clear()
    await untilDone(attachments)
    const items = await listed(attachments)
    expect(items).toMatchObject([{ fileName: 'b.txt' }])
    expect(call.key).toMatch(/^uploads\//)
  })

  it('releases its reservation even if the response arrives after the cancellation', async () => {
    const attachments = await stage.open('clerk')
    const reservation = nextReservation(attachments)
    attachments.add([fileOf('a.txt', 10)])
    const { attachment, release } = await reservation
    attachments.cancel(attachments.$uploads.get()[0]?.key ?? '')
    expect(attachments.$uploads.get()).toEqual([])
    release()
    await expectDeleted(attachment.id)
    expect(transfers()).toBe(0)
  })

  it('releases its reservation even if the user has no permission to delete files', async () => {
    const attachments = await stage.open('uploader')
    await accessStore(attachments.session).load()
    const held = stage.store.faults.hang({ operations: ['PutObject'] })
    attachments.add([fileOf('a.txt', 2_000_000)])
    const { key } = await held.reached
    attachments.cancel(attachments.$uploads.get()[0]?.key ?? '')
    expect(attachments.$uploads.get()).toEqual([])
    const [, id = ''] = key?.split('/') ?? []
    await expectDeleted(id, 'uploader')
  })

  it('leaves its place to the next file, even if its request waits for a token', async () => {
    const target = targetOf(await stage.host.addInvoice())
    const token = await stage.host.token('clerk')
    const waiting: ((token: string) => void)[] = []
    let isSilent = true
    const accessToken = () =>
      isSilent ? new Promise<string>((resolve) => void waiting.push(resolve)) : token
    const { session } = await signIn(stage.host, 'clerk', { accessToken })
    const attachments = attachmentsStore(session, target)
    attachments.add([1, 2, 3].map((size) => fileOf(`${size}.txt`, size)))
    await expect.poll(() => waiting.length).toBe(3)
    for (const { key } of attachments.$uploads.get()) attachments.cancel(key)
    isSilent = false
    attachments.add([fileOf('later.txt', 10)])
    await untilDone(attachments)
    await attachments.load()
    expect(attachments.$list.get().items).toMatchObject([{ fileName: 'later.txt' }])
  })

  it('is shown in the list if the service had completed it before', async () => {
    const attachments = await stage.open('clerk')
    await attachments.load()
    const completion = attachments.gate.hold(/\/complete$/)
    attachments.add([fileOf('a.txt', 10)])
    await completion.reached
    attachments.cancel(attachments.$uploads.get()[0]?.key ?? '')
    expect(attachments.$uploads.get()).toEqual([])
    completion.release()
    const { items } = await until(attachments.$list, (list) => list.items.length > 0)
    expect(items).toMatchObject([{ fileName: 'a.txt', status: 'ready' }])
  })

  it('is neither shown nor continued if closing the session has cancelled it', async () => {
    const attachments = await stage.open('clerk')
    const held = stage.store.faults.hang({ operations: ['PutObject'] })
    attachments.add([1, 2, 3, 4].map((size) => fileOf(`${size}.txt`, size)))
    await until(
      attachments.$uploads,
      (all) => all.filter(({ status }) => status === 'transferring').length === 3,
    )
    attachments.session.close()
    const sentBefore = attachments.gate.sent.length
    held.clear()
    const later = await stage.open('clerk', attachments.target)
    await later.load()
    expect(attachments.$uploads.get()).toEqual([])
    expect(attachments.$list.get().items).toEqual([])
    expect(attachments.gate.sent).toHaveLength(sentBefore)
    expect(later.$list.get().items).toEqual([])
  })
})

describe('an upload after its panel was closed', () => {
  it('continues, and another panel that is opened later shows the upload', async () => {
    const attachments = await stage.open('clerk')
    const held = stage.store.faults.hang({ operations: ['PutObject'] })
    attachments.add([fileOf('a.txt', 10)])
    await held.reached
    attachments.dispose()
    const later = attachmentsStore(attachments.session, attachments.target)
    await later.load()
    expect(later.$uploads.get()).toMatchObject([{ fileName: 'a.txt', status: 'transferring' }])
    held.clear()
    await untilDone(later)
    expect(later.$list.get().items).toMatchObject([{ fileName: 'a.txt' }])
    expect(attachments.$list.get().items).toEqual([])
  })
})

describe('an upload whose session ends before the part that uploads is loaded', () => {
  it('stores nothing in the browser', async () => {
    const drafts = createDrafts()
    const page = await openPage(stage, drafts)
    page.add([fileOf('a.txt', 10)])
    page.session.close()
    await vi.dynamicImportSettled()
    expect(await drafts.files.list('')).toEqual([])
  })
})

async function listed({ target }: OpenAttachments) {
  const { client } = await signIn(stage.host, 'clerk')
  return (await client.attachments.list({ target })).items
}

describe('a dismissed upload', () => {
  it('does not delete a file that the service has completed, although the response was lost', async () => {
    const drafts = createDrafts()
    const before = await openPage(stage, drafts)
    const completion = before.gate.hold(/\/complete$/)
    before.add([fileOf('a.txt', 10)])
    await completion.reached
    before.session.close()

    const after = await openPage(stage, drafts, before.target)
    const { key } = await untilStatus(after, 'interrupted')
    await after.load()
    after.dismiss(key)
    await expect.poll(() => after.gate.sent.some((line) => line.startsWith('DELETE'))).toBe(true)
    await expect.poll(() => drafts.files.list('upload/')).toEqual([])
    await after.load()
    expect(after.$list.get().items).toMatchObject([{ fileName: 'a.txt', status: 'ready' }])
  })
})
