import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type AttachmentsStage,
  fileOf,
  type OpenAttachments,
  openAttachmentsStage,
  untilDone,
  untilStatus,
} from './attachments-stage.ts'
import { createHeldScanner } from './held-scanner.ts'
import { until } from './until.ts'

let stage: AttachmentsStage
const scanner = createHeldScanner()
const maxPending = 4

beforeAll(async () => {
  const environment = { Attachments__MaxPendingPerUser: `${maxPending}` }
  stage = await openAttachmentsStage(environment, { scanner: scanner.scan })
})
afterAll(() => stage.close())
beforeEach(() => scanner.hold())
afterEach(() => scanner.decide({ isClean: true }))

const filesOf = (count: number) => Array.from({ length: count }, (_, index) => fileOf(`${index}.txt`, 10))
const statuses = ({ $uploads }: OpenAttachments) => $uploads.get().map(({ status }) => status)
const reservations = ({ gate }: OpenAttachments) =>
  gate.sent.filter((line) => line.endsWith('/uploads')).length

/** Resolves when this number of functions waits for the clock of the session. */
const untilWaiting = ({ clock }: OpenAttachments, count: number) =>
  expect.poll(clock.waitingCount).toBe(count)

/** Resolves when the service has at least this number of ready files. */
const untilReady = ({ client, target }: OpenAttachments, count: number) =>
  expect
    .poll(async () => (await client.attachments.list({ target })).items.length)
    .toBeGreaterThanOrEqual(count)

/** Resolves when the service has deleted the files whose scan the user has cancelled. */
async function untilDeleted({ client, gate }: OpenAttachments): Promise<void> {
  const ids = gate.sent.flatMap((line) => /([^/]+)\/complete$/.exec(line)?.[1] ?? [])
  for (const id of ids) {
    await expect
      .poll(() => client.attachments.complete(id).catch((error: unknown) => error))
      .toMatchObject({ code: 'attachments.deleted' })
  }
}

/** Lets time pass until all uploads are done. */
async function passUntilDone(attachments: OpenAttachments): Promise<void> {
  const isDone = untilDone(attachments).then(() => true)
  const pass = () => attachments.clock.pass(60_000).then(() => false)
  while (!(await Promise.race([isDone, pass()])));
}

describe('uploads beyond the limit of uploads in progress', () => {
  it('wait in their places while other files are scanned, and arrive without another attempt of the user', async () => {
    const attachments = await stage.open('clerk')
    attachments.add(filesOf(2 * maxPending))
    await untilWaiting(attachments, maxPending + 3)
    expect(statuses(attachments).toSorted()).toEqual([
      'queued',
      ...Array.from({ length: 3 }, () => 'reserving'),
      ...Array.from({ length: maxPending }, () => 'scanning'),
    ])
    expect(reservations(attachments)).toBe(maxPending + 3)
    scanner.decide({ isClean: true })
    await untilReady(attachments, maxPending)
    await passUntilDone(attachments)
    expect(attachments.$list.get().items).toHaveLength(2 * maxPending)
    expect(reservations(attachments)).toBe(2 * maxPending + 3)
  })

  it('let an upload that has a reservation continue before they reserve again', async () => {
    const attachments = await stage.open('clerk')
    const fault = stage.store.faults.fail({ operations: ['PutObject'], status: 503 })
    attachments.add(filesOf(maxPending))
    const failed = await until(attachments.$uploads, (all) => all.every(({ status }) => status === 'failed'))
    fault.clear()
    attachments.add(filesOf(3))
    await untilWaiting(attachments, 3)
    for (const { key } of failed) attachments.retry(key)
    scanner.decide({ isClean: true })
    await attachments.clock.pass(5_000)
    await untilReady(attachments, maxPending)
    await passUntilDone(attachments)
    expect(attachments.$list.get().items).toHaveLength(maxPending + 3)
  })

  it('fail with the reason if the limit remains reached, and can be tried again', async () => {
    const attachments = await stage.open('clerk')
    const { client, target, clock } = attachments
    const file = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 }
    const reserved = await Promise.all(
      filesOf(maxPending).map(() => client.attachments.reserve({ target, ...file })),
    )
    attachments.add(filesOf(1))
    for (let turn = 1; turn <= 12; turn += 1) {
      await untilWaiting(attachments, 1)
      expect(statuses(attachments)).toEqual(['reserving'])
      await clock.pass(5_000)
    }
    const { step, error, canRetry, key } = await untilStatus(attachments, 'failed')
    expect([step, error.code, canRetry]).toEqual(['reserving', 'request.rate_limited', true])
    for (const { attachment } of reserved) await client.attachments.delete(attachment.id)
    scanner.decide({ isClean: true })
    attachments.retry(key)
    await passUntilDone(attachments)
    expect(attachments.$list.get().items).toHaveLength(1)
  })

  it('leave their places when the user cancels them', async () => {
    const attachments = await stage.open('clerk')
    attachments.add(filesOf(maxPending + 3))
    await untilWaiting(attachments, maxPending + 3)
    for (const { key } of attachments.$uploads.get()) attachments.cancel(key)
    await untilWaiting(attachments, 0)
    await untilDeleted(attachments)
    scanner.decide({ isClean: true })
    attachments.add(filesOf(1))
    await passUntilDone(attachments)
    expect(attachments.$list.get().items).toHaveLength(1)
  })
})
