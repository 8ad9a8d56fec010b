import { attachmentsStore, uploadsStore } from '@vertical-kit/ui-client/stores'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signIn } from '../signed-in.ts'
import {
  type AttachmentsStage,
  fileOf,
  type OpenAttachments,
  openAttachmentsStage,
  untilDone,
  untilStatus,
} from './attachments-stage.ts'
import { createHeldScanner } from './held-scanner.ts'
import { createDrafts, openPage } from './reloaded-page.ts'
import { until } from './until.ts'

let stage: AttachmentsStage
const scanner = createHeldScanner()
const clean = { isClean: true } as const
const infected = { isClean: false, finding: 'Eicar-Test' } as const

beforeAll(async () => {
  stage = await openAttachmentsStage({}, { scanner: scanner.scan })
})
afterAll(() => stage.close())
beforeEach(() => scanner.hold())
afterEach(() => {
  // A scan without a verdict would occupy the scanner of the next tests.
  scanner.decide(clean)
  stage.stored.length = 0
})

const requests = ({ gate }: OpenAttachments, pattern: RegExp) =>
  gate.sent.filter((line) => pattern.test(line))
const reservations = (attachments: OpenAttachments) => requests(attachments, /\/uploads$/).length
const completions = (attachments: OpenAttachments) => requests(attachments, /\/complete$/).length
const transfers = () => stage.stored.filter(({ call }) => call?.operation === 'PutObject').length

/** Returns the id of the attachment whose upload was completed last. */
function attachmentId(attachments: OpenAttachments): string {
  const [, id = ''] = /\/([^/]+)\/complete$/.exec(requests(attachments, /\/complete$/).at(-1) ?? '') ?? []
  return id
}

/** Asks the service until an upload has this status, or is refused with this code. The page under test sends no request. */
async function untilOnServer(id: string, expected: string): Promise<void> {
  const { client } = await signIn(stage.host, 'clerk')
  const ask = () =>
    client.attachments.complete(id).then(
      ({ status }) => status,
      ({ code }: { code: string }) => code,
    )
  await expect.poll(ask).toBe(expected)
}

/** Opens the attachments of a new object and adds a file. Resolves while the file is scanned. */
async function addUntilScanning(): Promise<OpenAttachments> {
  const attachments = await stage.open('clerk')
  attachments.add([fileOf('a.txt', 10)])
  await untilStatus(attachments, 'scanning')
  return attachments
}

/** Lets time pass until the completion is repeated. Resolves with the duration of the wait that follows. */
async function passUntilRepeated({ clock }: OpenAttachments, ms: number): Promise<number> {
  const nextWait = clock.nextWait()
  await clock.pass(ms)
  return nextWait
}

describe('an upload that is scanned', () => {
  it('is shown as scanning, and arrives in the list when the file is clean', async () => {
    const attachments = await stage.open('clerk')
    const statuses = new Set<string>()
    attachments.$uploads.subscribe(([upload]) => upload !== undefined && statuses.add(upload.status))
    const firstWait = attachments.clock.nextWait()
    attachments.add([fileOf('a.txt', 10)])
    expect(await firstWait).toBe(1_000)
    expect(await passUntilRepeated(attachments, 1_000)).toBe(2_000)
    expect(attachments.$uploads.get()).toMatchObject([{ status: 'scanning' }])
    expect(attachments.$progress.get()).toMatchObject({ finishedCount: 0, count: 1, sentBytes: 10 })
    expect(attachments.$arrived.get()).toBeNull()
    scanner.decide(clean)
    await untilOnServer(attachmentId(attachments), 'ready')
    await attachments.clock.pass(2_000)
    await untilDone(attachments)
    expect(attachments.$list.get().items).toMatchObject([{ fileName: 'a.txt', status: 'ready' }])
    expect([...statuses]).toEqual(['queued', 'reserving', 'transferring', 'verifying', 'scanning'])
    expect([reservations(attachments), transfers(), completions(attachments)]).toEqual([1, 1, 3])
  })

  it('fails without a retry and without another reservation if the file contains malware', async () => {
    const attachments = await addUntilScanning()
    const id = attachmentId(attachments)
    scanner.decide(infected)
    await untilOnServer(id, 'attachments.quarantined')
    await attachments.clock.pass(1_000)
    const { step, error, canRetry, key } = await untilStatus(attachments, 'failed')
    expect([step, error.code, canRetry]).toEqual(['verifying', 'attachments.quarantined', false])
    attachments.retry(key)
    expect(attachments.$uploads.get()).toMatchObject([{ status: 'failed' }])
    attachments.dismiss(key)
    expect(attachments.$uploads.get()).toEqual([])
    expect([reservations(attachments), transfers()]).toEqual([1, 1])
    await untilOnServer(id, 'attachments.quarantined')
  })

  it('leaves its place to the next file', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([1, 2, 3, 4].map((size) => fileOf(`${size}.txt`, size)))
    await until(attachments.$uploads, (all) => all.every(({ status }) => status === 'scanning'))
    expect(attachments.$uploads.get()).toHaveLength(4)
    expect(transfers()).toBe(4)
  })

  it('stays scanning without a network, and arrives when the network returns', async () => {
    const attachments = await addUntilScanning()
    const restore = attachments.gate.cut()
    expect(await passUntilRepeated(attachments, 1_000)).toBe(2_000)
    expect(await passUntilRepeated(attachments, 2_000)).toBe(4_000)
    expect(attachments.$uploads.get()).toMatchObject([{ status: 'scanning' }])
    restore()
    scanner.decide(clean)
    await untilOnServer(attachmentId(attachments), 'ready')
    await attachments.clock.pass(4_000)
    await untilDone(attachments)
    expect(attachments.$list.get().items).toMatchObject([{ fileName: 'a.txt' }])
    expect([reservations(attachments), transfers()]).toEqual([1, 1])
  })

  it('sends no more completions after the user has cancelled it, and does not arrive', async () => {
    const attachments = await addUntilScanning()
    attachments.cancel(attachments.$uploads.get()[0]?.key ?? '')
    expect(attachments.$uploads.get()).toEqual([])
    await untilOnServer(attachmentId(attachments), 'attachments.deleted')
    scanner.decide(clean)
    await attachments.clock.pass(60_000)
    expect(completions(attachments)).toBe(1)
    await attachments.load()
    expect(attachments.$list.get().items).toEqual([])
  })

  it('is neither shown nor continued after the end of the session', async () => {
    const attachments = await addUntilScanning()
    await attachments.session.signOut()
    expect(attachments.$uploads.get()).toEqual([])
    const sentBefore = attachments.gate.sent.length
    await attachments.clock.pass(60_000)
    expect(attachments.gate.sent).toHaveLength(sentBefore)
  })

  it('continues after a reload, without another transfer, and arrives in the list', async () => {
    const drafts = createDrafts()
    const before = await openPage(stage, drafts)
    before.add([fileOf('a.txt', 10)])
    await untilStatus(before, 'scanning')
    before.session.close()
    const after = await openPage(stage, drafts, before.target)
    const wait = after.clock.nextWait()
    await untilStatus(after, 'scanning')
    await wait
    scanner.decide(clean)
    await untilOnServer(attachmentId(before), 'ready')
    await after.clock.pass(1_000)
    await untilDone(after)
    expect(after.$list.get().items).toMatchObject([{ fileName: 'a.txt' }])
    expect([reservations(after), transfers(), completions(after)]).toEqual([0, 1, 1])
    expect(await drafts.files.list('upload/')).toEqual([])
  })

  it('shows a finding that a reload has missed on every page, until the user dismisses it', async () => {
    const drafts = createDrafts()
    const before = await openPage(stage, drafts)
    before.add([fileOf('a.txt', 10)])
    await untilStatus(before, 'scanning')
    before.session.close()
    scanner.decide(infected)
    await untilOnServer(attachmentId(before), 'attachments.quarantined')
    for (const _reload of [1, 2]) {
      const elsewhere = await openPage(stage, drafts)
      const wait = elsewhere.clock.nextWait()
      const objects = uploadsStore(elsewhere.session).$objects
      await until(objects, (all) => all[0]?.uploads[0]?.status === 'scanning')
      await wait
      await elsewhere.clock.pass(1_000)
      const [found] = await until(objects, (all) => all[0]?.uploads[0]?.status === 'failed')
      expect(found?.target).toEqual(before.target)
      expect(found?.uploads).toMatchObject([{ error: { code: 'attachments.quarantined' }, canRetry: false }])
      elsewhere.session.close()
    }
    const after = await openPage(stage, drafts, before.target)
    const wait = after.clock.nextWait()
    await untilStatus(after, 'scanning')
    await wait
    await after.clock.pass(1_000)
    after.dismiss((await untilStatus(after, 'failed')).key)
    await expect.poll(() => drafts.files.list('upload/')).toEqual([])
  })

  it('continues after its panel was closed, and another panel shows it', async () => {
    const attachments = await addUntilScanning()
    attachments.dispose()
    const later = attachmentsStore(attachments.session, attachments.target)
    expect(later.$uploads.get()).toMatchObject([{ fileName: 'a.txt', status: 'scanning' }])
    scanner.decide(clean)
    await untilOnServer(attachmentId(attachments), 'ready')
    await attachments.clock.pass(1_000)
    await untilDone(later)
    expect(later.$arrived.get()).toMatchObject({ fileName: 'a.txt' })
  })
})
