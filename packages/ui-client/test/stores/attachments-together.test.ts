import type { BusinessObjectReference } from '@vertical-kit/ui-client'
import { attachmentsStore, type ObjectUploads, uploadsStore } from '@vertical-kit/ui-client/stores'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createZipDownload } from '../../src/stores/zip-download.ts'
import { targetOf } from '../signed-in.ts'
import {
  type AttachmentsStage,
  fileOf,
  type OpenAttachments,
  openAttachmentsStage,
  untilDone,
} from './attachments-stage.ts'
import { createDrafts, openPage } from './reloaded-page.ts'
import { until } from './until.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage.close())
afterEach(() => stage.store.faults.clear())

describe('several uploads', () => {
  it('have a common progress, which includes the finished uploads until all are done', async () => {
    const attachments = await stage.open('clerk')
    const seen = new Set<string>()
    attachments.$progress.listen(({ finishedCount, count, sentBytes, totalBytes }) => {
      seen.add(`${finishedCount}/${count} ${sentBytes <= totalBytes ? '' : 'too many '}of ${totalBytes}`)
    })
    attachments.add([1, 2, 3, 4].map((size) => fileOf(`${size}.txt`, size)))
    await untilDone(attachments)
    const expected = [0, 1, 2, 3].map((finished) => `${finished}/4 of 10`)
    expect([...seen].filter((one) => one.endsWith('of 10'))).toEqual(expected)
    expect(attachments.$progress.get()).toEqual({ finishedCount: 0, count: 0, sentBytes: 0, totalBytes: 0 })
  })

  it('are known to the whole session by object, until they are done or the session ends', async () => {
    const one = await stage.open('clerk')
    const { $objects } = uploadsStore(one.session)
    const hang = stage.store.faults.hang({ operations: ['PutObject'] })
    one.add([fileOf('a.txt', 10)])
    await hang.reached
    one.dispose()
    const shown = ({ target, uploads, progress }: ObjectUploads) => [
      target,
      uploads.length,
      progress.totalBytes,
    ]
    expect($objects.get().map(shown)).toEqual([[one.target, 1, 10]])
    hang.clear()
    await until($objects, (objects) => objects.length === 0)
    stage.store.faults.hang({ operations: ['PutObject'] })
    const other = await stage.open('clerk')
    const ofOther = uploadsStore(other.session).$objects
    other.add([fileOf('a.txt', 10)])
    expect(ofOther.get()).toHaveLength(1)
    other.session.close()
    expect(ofOther.get()).toEqual([])
  })
})

describe('the uploads of an object that the user has left', () => {
  /** Opens the attachments of an object, and leaves them. */
  const visit = ({ session }: OpenAttachments, target: BusinessObjectReference) => {
    const { $uploads, dispose } = attachmentsStore(session, target)
    dispose()
    return $uploads
  }
  const otherTarget = async () => targetOf(await stage.host.addInvoice())

  it('are forgotten by the session if there are none', async () => {
    const page = await openPage(stage, createDrafts())
    page.dispose()
    const other = await otherTarget()
    await expect.poll(() => visit(page, other) && visit(page, page.target)).not.toBe(page.$uploads)
  })

  it('stay known to the session while they run', async () => {
    const page = await openPage(stage, createDrafts())
    const hang = stage.store.faults.hang({ operations: ['PutObject'] })
    page.add([fileOf('a.txt', 10)])
    await hang.reached
    page.dispose()
    visit(page, await otherTarget())
    expect(visit(page, page.target)).toBe(page.$uploads)
    expect(uploadsStore(page.session).$objects.get()).toMatchObject([{ target: page.target }])
  })

  it('stay known to the session if a reload has interrupted them', async () => {
    const drafts = createDrafts()
    const before = await openPage(stage, drafts)
    const hang = stage.store.faults.hang({ operations: ['PutObject'] })
    before.add([fileOf('a.txt', 10)])
    await hang.reached
    before.session.close()
    const after = await openPage(stage, drafts, before.target)
    after.dispose()
    visit(after, await otherTarget())
    const { $objects } = uploadsStore(after.session)
    await until($objects, (objects) => objects.length === 1)
    visit(after, await otherTarget())
    expect($objects.get()).toMatchObject([{ target: before.target, uploads: [{ status: 'interrupted' }] }])
  })
})

describe('a download of several files', () => {
  const note = () => new File(['missing'], 'note.txt')

  it('states its progress, and ends with the session', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([fileOf('a.txt', 1_000), fileOf('b.txt', 500)])
    await untilDone(attachments)
    const { items } = attachments.$list.get()
    const zip = createZipDownload(attachments.session.signal, attachments.download)
    const archive = await zip.start(items, note)
    expect(archive?.type).toBe('application/zip')
    expect(archive?.size).toBeGreaterThan(1_500)
    expect(zip.$state.get()).toEqual({ status: 'done', count: 2, failed: [] })
    const hang = stage.store.faults.hang({ operations: ['GetObject'] })
    const second = zip.start(items, note)
    await hang.reached
    expect(zip.$state.get()).toMatchObject({ status: 'running', doneCount: 0, count: 2, totalBytes: 1_500 })
    attachments.session.close()
    expect(await second).toBeNull()
    expect(zip.$state.get()).toEqual({ status: 'idle' })
  })

  it('continues without a file of which no byte has arrived for a minute', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([fileOf('a.txt', 1_000), fileOf('b.txt', 500)])
    await untilDone(attachments)
    const { items } = attachments.$list.get()
    const zip = createZipDownload(attachments.session.signal, attachments.download)
    const hang = stage.store.faults.hang({ operations: ['GetObject'] })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const archive = zip.start(items, note)
    await hang.reached
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    hang.clear()
    expect(await archive).not.toBeNull()
    expect(zip.$state.get()).toEqual({ status: 'done', count: 2, failed: [items[0]] })
  })

  it('lists the files that another user has deleted, and those that are incomplete', async () => {
    const attachments = await stage.open('clerk')
    attachments.add(['a.txt', 'b.txt', 'c.txt'].map((name) => fileOf(name, 100)))
    await untilDone(attachments)
    const [deleted, complete, wrong] = attachments.$list.get().items
    if (deleted === undefined || complete === undefined || wrong === undefined) throw new Error('No files')
    await attachments.client.attachments.delete(deleted.id)
    const zip = createZipDownload(attachments.session.signal, attachments.download)
    const files = [deleted, complete, { ...wrong, sizeBytes: 101 }]
    expect(await zip.start(files, note)).not.toBeNull()
    expect(zip.$state.get()).toEqual({
      status: 'done',
      count: 3,
      failed: [deleted, { ...wrong, sizeBytes: 101 }],
    })
    expect(await zip.start([deleted], note)).toBeNull()
  })
})
