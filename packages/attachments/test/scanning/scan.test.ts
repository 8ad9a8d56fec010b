import type { Attachment } from '@vertical-kit/attachments/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  complete,
  downloadedText,
  expectJson,
  newTarget,
  refusalOf,
  reserve,
  reserveAndPut,
  reserveAndPutPart,
  targetParameters,
} from '../harness.ts'
import { eventCodes, storedAttachment, storedEvents } from '../rows.ts'
import {
  clean,
  healthOf,
  infected,
  makeDue,
  openScanBench,
  type ScanBench,
  scanWorker,
} from './scan-bench.ts'

let bench: ScanBench

beforeAll(async () => {
  bench = await openScanBench({ environment: { Attachments__MaxActivePerObject: '1' } })
})
beforeEach(async () => {
  bench.judge = async () => clean
  // Other tests can leave files that wait for a scan.
  await bench.scanDue()
  bench.scanned.length = 0
})
afterEach(() => bench.store.faults.clear())
afterAll(() => bench.close())

const colleague = () => bench.as({ subject: 'colleague', permissions: ['system.attachments.create'] })
const post = (id: string, action: string) => bench.clerk('POST', `/api/attachments/${id}/${action}`)
const refused = async (id: string, action: string) => refusalOf(await post(id, action))
const statusOf = async (id: string) => (await storedAttachment(bench.database, id))?.status
const eventsOf = (id: string) => eventCodes(bench.database, id)

test('a completed upload is scanned before anybody can list or download it', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  const { id, target } = attachment
  const scanning = await expectJson<Attachment>(await complete(bench.clerk, id), 200)
  expect(scanning).toEqual({ ...attachment, status: 'scanning' })
  expect(await expectJson(await complete(bench.clerk, id), 200)).toEqual(scanning)
  const list = await bench.clerk('GET', `/api/attachments?${targetParameters(target)}`)
  expect(await expectJson(list, 200)).toEqual({ items: [], nextCursor: null })
  const notReady = { status: 409, code: 'attachments.not_ready' }
  expect(await refused(id, 'download')).toEqual(notReady)
  expect(await refused(id, 'audit-download')).toEqual(notReady)
  expect(await eventsOf(id)).toEqual(['upload_requested', 'scan_requested'])
})

test('a clean file becomes ready, with an event of its author that offers the download', async () => {
  const id = await bench.upload()
  expect(await bench.scanDue()).toEqual([])
  expect(bench.scanned).toEqual([
    { id, fileName: 'hello.txt', contentType: 'text/plain', sizeBytes: 5, text: 'hello' },
  ])
  const ready = await expectJson<Attachment>(await complete(bench.clerk, id), 200)
  expect(ready).toMatchObject({ status: 'ready', completedAtUtc: expect.any(String) })
  expect(await downloadedText(bench.clerk, id)).toBe('hello')
  const events = await storedEvents(bench.database, id)
  expect(events.map((event) => event.action_code)).toEqual([
    'attachments.upload_requested',
    'attachments.scan_requested',
    'attachments.upload_completed',
  ])
  expect(events[2]).toMatchObject({
    actor_user_id: ready.createdByUserId,
    correlation_id: null,
    metadata: { status: 'ready', downloadable: true },
  })
})

test('a completed upload wakes the worker', async () => {
  const worker = scanWorker(bench)
  // Other tests have completed uploads, too.
  worker.bell?.listen(() => {})()
  const woken = new Promise<void>((resolve) => worker.bell?.listen(resolve))
  await bench.upload()
  await woken
})

test('a file that was sent in parts is scanned, too', async () => {
  const { id } = (await reserveAndPutPart(bench.clerk)).attachment
  expect(await expectJson(await complete(bench.clerk, id), 200)).toMatchObject({ status: 'scanning' })
  expect(await refusalOf(await bench.clerk('GET', `/api/attachments/${id}/parts`))).toEqual({
    status: 409,
    code: 'attachments.no_multipart_upload',
  })
  await bench.scanDue()
  expect(bench.scanned).toMatchObject([{ id, text: 'hello' }])
  expect(await downloadedText(bench.clerk, id)).toBe('hello')
})

test('a file with malware is quarantined permanently', async () => {
  bench.judge = async () => infected
  const target = newTarget()
  const { id } = (await reserveAndPut(bench.clerk, { target })).attachment
  await complete(bench.clerk, id)
  expect(await bench.scanDue()).toEqual([{ attachmentId: id, finding: 'Eicar-Test-Signature' }])
  const quarantined = { status: 409, code: 'attachments.quarantined' }
  for (const action of ['complete', 'download', 'audit-download']) {
    expect(await refused(id, action)).toEqual(quarantined)
  }
  expect((await bench.clerk('DELETE', `/api/attachments/${id}`)).status).toBe(204)
  expect(await refused(id, 'complete')).toEqual(quarantined)
  await bench.scanDue()
  expect(bench.scanned).toHaveLength(1)
  const events = await storedEvents(bench.database, id)
  expect(events.map((event) => event.action_code)).toEqual([
    'attachments.upload_requested',
    'attachments.scan_requested',
    'attachments.quarantined',
  ])
  expect(events[2]).toMatchObject({
    actor_user_id: null,
    metadata: { status: 'quarantined', finding: 'Eicar-Test-Signature' },
  })
  expect(events[2]?.metadata).not.toHaveProperty('downloadable')
  // The file does not count against the limit of its object.
  await reserve(bench.clerk, { target })
})

test('a file that waits for its scan counts against the limit, and its author can cancel it', async () => {
  const target = newTarget()
  const uploader = await bench.as({ subject: 'uploader', permissions: ['system.attachments.create'] })
  const { id } = (await reserveAndPut(uploader, { target })).attachment
  await complete(uploader, id)
  const body = { target, fileName: 'b.txt', contentType: 'text/plain', sizeBytes: 1 }
  expect(await refusalOf(await uploader('POST', '/api/attachments/uploads', { body }))).toMatchObject({
    code: 'attachments.count_limit_exceeded',
  })
  expect((await uploader('DELETE', `/api/attachments/${id}`)).status).toBe(204)
  await bench.scanDue()
  expect(bench.scanned).toEqual([])
  expect(await statusOf(id)).toBe('deleted')
})

test('a file that is deleted during its scan stays deleted', async () => {
  const id = await bench.upload()
  bench.judge = async () => {
    await bench.clerk('DELETE', `/api/attachments/${id}`)
    return clean
  }
  await bench.scanDue()
  expect(await statusOf(id)).toBe('deleted')
  expect(await eventsOf(id)).toEqual(['upload_requested', 'scan_requested', 'mark_for_deletion'])
})

test('if the scanner fails, the file stays unavailable and is scanned again after a pause', async () => {
  const id = await bench.upload()
  bench.judge = async () => {
    throw new Error('out of signatures')
  }
  for (const attempt of [1, 2, 3]) {
    expect(await bench.scanDue()).toEqual([
      { err: expect.objectContaining({ message: 'out of signatures' }), attachmentId: id, attempt },
    ])
    expect(await statusOf(id)).toBe('scanning')
    // The pause has not passed.
    expect(await bench.scanDue()).toEqual([])
    await makeDue(bench, id)
  }
  expect(await healthOf(bench)).toMatchObject({ status: 'Degraded', pendingCount: 1, failedCount: 1 })
  bench.judge = async () => clean
  await bench.scanDue()
  expect(await statusOf(id)).toBe('ready')
  expect(await healthOf(bench)).toEqual({
    ...{ status: 'Healthy', pendingCount: 0, failedCount: 0, oldestPendingAgeSeconds: null },
  })
})

test('files that have been due for more than 15 minutes are reported', async () => {
  const id = await bench.upload()
  await makeDue(bench, id, '14 minutes')
  expect(await healthOf(bench)).toMatchObject({ status: 'Healthy', pendingCount: 1, failedCount: 0 })
  await makeDue(bench, id, '16 minutes')
  expect(await healthOf(bench)).toMatchObject({
    ...{ status: 'Degraded', pendingCount: 1, failedCount: 0, detail: expect.stringContaining('15 minutes') },
  })
  // A file that waits for the end of its pause, or that is being scanned, is not late.
  await makeDue(bench, id, '-1 hour')
  expect(await healthOf(bench)).toMatchObject({ status: 'Healthy', oldestPendingAgeSeconds: null })
  await makeDue(bench, id)
})

test('while the store fails, nothing becomes ready', async () => {
  const id = await bench.upload()
  const fault = bench.store.faults.fail({ operations: ['GetObject'], status: 503 })
  expect(await bench.scanDue()).toMatchObject([{ attachmentId: id }])
  fault.clear()
  expect(bench.scanned).toEqual([])
  expect(await statusOf(id)).toBe('scanning')
  await makeDue(bench, id)
  await bench.scanDue()
  expect(await statusOf(id)).toBe('ready')
})

test('while a file is scanned, no database connection is in use, and other files are scanned', async () => {
  const ids = [await bench.upload(), await bench.upload()]
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  bench.judge = async ({ id }) => {
    if (id !== ids[0]) return clean
    reached.resolve()
    await held.promise
    return clean
  }
  const scanning = bench.scanDue()
  await reached.promise
  await expect.poll(() => statusOf(ids[1] ?? '')).toBe('ready')
  const later = await bench.upload()
  await expect.poll(() => statusOf(later)).toBe('ready')
  await expect.poll(() => bench.database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
  held.resolve()
  await scanning
  expect(await statusOf(ids[0] ?? '')).toBe('ready')
})

/** Makes each scan wait until the returned promise is resolved. Its file is then clean. */
function holdScans(): PromiseWithResolvers<void> {
  const held = Promise.withResolvers<void>()
  bench.judge = async () => {
    await held.promise
    return clean
  }
  return held
}

test('a host scans at most four files at the same time, and keeps an idle tenant open during the scans', async () => {
  expect(scanWorker(bench).keepsTenantOpen).toBe(true)
  const other = await colleague()
  const ids = await Promise.all(Array.from({ length: 3 }, () => [bench.upload(), bench.upload(other)]).flat())
  const held = holdScans()
  const scanning = bench.scanDue()
  await expect.poll(() => bench.scanned.length).toBe(4)
  // The bell makes the worker look for files again.
  scanWorker(bench).bell?.ring()
  await expect.poll(() => bench.database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
  expect(bench.scanned).toHaveLength(4)
  held.resolve()
  await scanning
  for (const id of ids) expect(await statusOf(id)).toBe('ready')
})

test('many slow files of one user delay no file of another user', async () => {
  const slow = new Set([
    await bench.upload(),
    await bench.upload(),
    await bench.upload(),
    await bench.upload(),
  ])
  const held = Promise.withResolvers<void>()
  bench.judge = async ({ id }) => {
    if (slow.has(id)) await held.promise
    return clean
  }
  const scanning = bench.scanDue()
  await expect.poll(() => bench.scanned.length).toBe(3)
  const quick = await bench.upload(await colleague())
  await expect.poll(() => statusOf(quick)).toBe('ready')
  expect(bench.scanned).toHaveLength(4)
  held.resolve()
  await scanning
  for (const id of slow) expect(await statusOf(id)).toBe('ready')
})

test('a repeated attempt starts although other users always have files that wait for their first one', async () => {
  bench.judge = async () => {
    throw new Error('out of signatures')
  }
  const failed = await bench.upload()
  await bench.scanDue()
  await makeDue(bench, failed)
  const uploaders = [
    await colleague(),
    await bench.as({ subject: 'uploader', permissions: ['system.attachments.create'] }),
  ]
  for (const uploader of [...uploaders, ...uploaders, ...uploaders]) await bench.upload(uploader)
  bench.scanned.length = 0
  let uploadCount = 0
  bench.judge = async ({ id }) => {
    if (id === failed) return clean
    const uploader = uploaders[uploadCount % 2]
    uploadCount += 1
    if (uploadCount <= 20) await bench.upload(uploader)
    return clean
  }
  await bench.scanDue()
  expect(bench.scanned.findIndex(({ id }) => id === failed)).toBeLessThan(4)
})

test('repeated attempts take one place of a host while other files wait for their first one', async () => {
  bench.judge = async () => {
    throw new Error('out of signatures')
  }
  const failed = [await bench.upload(), await bench.upload(await colleague())]
  await bench.scanDue()
  for (const id of failed) await makeDue(bench, id)
  const first = [await bench.upload(), await bench.upload(), await bench.upload(await colleague())]
  bench.scanned.length = 0
  const held = holdScans()
  const scanning = bench.scanDue()
  await expect.poll(() => bench.scanned.length).toBe(4)
  expect(bench.scanned.filter(({ id }) => failed.includes(id))).toHaveLength(1)
  expect(bench.scanned.map(({ id }) => id)).toEqual(expect.arrayContaining(first))
  held.resolve()
  await scanning
})

test('a host that stops lets another host scan its file at once', async () => {
  const id = await bench.upload()
  const stopping = new AbortController()
  bench.judge = async (_file, signal) => {
    stopping.abort()
    expect(signal.aborted).toBe(true)
    return new Promise(() => {})
  }
  expect(await bench.scanDue(stopping.signal)).toEqual([])
  expect(await statusOf(id)).toBe('scanning')
  // The end of the host was no attempt.
  bench.judge = async () => {
    throw new Error('out of signatures')
  }
  expect(await bench.scanDue()).toMatchObject([{ attachmentId: id, attempt: 1 }])
  bench.judge = async () => clean
  await makeDue(bench, id)
  await bench.scanDue()
  expect(await statusOf(id)).toBe('ready')
})

test('after a host has died during a scan, another host scans the file, and the first result counts', async () => {
  const id = await bench.upload()
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  bench.judge = async () => {
    reached.resolve()
    await held.promise
    return infected
  }
  const frozen = bench.scanDue()
  await reached.promise
  bench.judge = async () => clean
  await makeDue(bench, id)
  await bench.scanDue()
  // The bell of the upload can wake the frozen host, which then claims the file itself.
  await expect.poll(() => statusOf(id)).toBe('ready')
  held.resolve()
  await frozen
  expect(await statusOf(id)).toBe('ready')
  expect(await eventsOf(id)).toEqual(['upload_requested', 'scan_requested', 'upload_completed'])
})
