import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sent } from '../signed-in.ts'
import {
  type AttachmentsStage,
  errorOf,
  fileOf,
  openAttachmentsStage,
  untilDone,
  untilStatus,
} from './attachments-stage.ts'
import { until } from './until.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage({
    Attachments__MaxSizeBytes: '100000',
    Attachments__MaxActivePerObject: '5',
  })
})
afterAll(() => stage.close())

const names = (list: { readonly items: readonly { readonly fileName: string }[] }) =>
  list.items.map(({ fileName }) => fileName)

describe('files of an object', () => {
  it('are uploaded together, and listed in the order of the service', async () => {
    const attachments = await stage.open('clerk')
    await attachments.load()
    attachments.add(['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'].map((name) => fileOf(name, 10)))
    await untilDone(attachments)
    const shown = names(attachments.$list.get())
    await attachments.load()
    expect(shown).toEqual(names(attachments.$list.get()))
    expect(shown.toSorted()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'])
  })

  it('are uploaded at most three at a time, and waiting files have no reservation', async () => {
    const attachments = await stage.open('clerk')
    const fault = stage.store.faults.hang({ operations: ['PutObject'] })
    attachments.add([1, 2, 3, 4, 5].map((size) => fileOf(`${size}.txt`, size)))
    const uploads = await until(
      attachments.$uploads,
      (all) => all.filter(({ status }) => status === 'transferring').length === 3,
    )
    expect(uploads.map(({ status }) => status).slice(3)).toEqual(['queued', 'queued'])
    expect(attachments.gate.sent.filter((line) => line.endsWith('/uploads'))).toHaveLength(3)
    fault.clear()
    await untilDone(attachments)
    expect(attachments.$list.get().items).toHaveLength(5)
  })

  it('can be empty', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([fileOf('empty.txt', 0, '')])
    await untilDone(attachments)
    expect(attachments.$list.get().items).toMatchObject([
      { fileName: 'empty.txt', sizeBytes: 0, contentType: 'application/octet-stream', status: 'ready' },
    ])
  })

  it('are downloaded with exactly the uploaded bytes', async () => {
    const attachments = await stage.open('clerk')
    const bytes = crypto.getRandomValues(new Uint8Array(5_000))
    attachments.add([new File([bytes], 'random.bin')])
    await untilDone(attachments)
    const download = await attachments.download(attachments.$arrived.get()?.id ?? '')
    expect(download).toHaveProperty('url')
    const response = await fetch(Reflect.get(download ?? {}, 'url'))
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('can be deleted, and an attempt to download a deleted file reloads the list', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([fileOf('a.txt', 1)])
    await untilDone(attachments)
    const id = attachments.$arrived.get()?.id ?? ''
    const other = await stage.open('clerk2', attachments.target)
    await other.load()
    expect(await sent(attachments.delete(id))).toEqual({ status: 'deleted' })
    expect(attachments.$list.get().items).toEqual([])
    expect(errorOf(await other.download(id)).code).toBe('attachments.deleted')
    await until(other.$list, ({ status, items }) => status === 'ready' && items.length === 0)
  })

  it('appear in the list even if their upload ends while the list is loading', async () => {
    const attachments = await stage.open('clerk')
    const hold = attachments.gate.hold(/^GET \/api\/attachments$/)
    const loaded = attachments.load()
    await hold.reached
    attachments.add([fileOf('a.txt', 1)])
    await untilDone(attachments)
    hold.release()
    await loaded
    await until(attachments.$list, ({ status }) => status === 'ready')
    expect(names(attachments.$list.get())).toEqual(['a.txt'])
    // The store sends one request for the list, and another because a file arrived during the first request.
    expect(attachments.gate.sent.filter((line) => line === 'GET /api/attachments')).toHaveLength(2)
  })

  it('are shown after their upload, even to users without permission to read', async () => {
    const attachments = await stage.open('uploader')
    attachments.add([fileOf('a.txt', 1)])
    await untilDone(attachments)
    expect(names(attachments.$list.get())).toEqual(['a.txt'])
    await attachments.load()
    expect(attachments.$list.get().error?.code).toBe('permission.denied')
  })
})

describe('a refused upload', () => {
  it('cannot be retried if the file is too large', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([fileOf('large.txt', 100_001)])
    const { step, error, canRetry, key } = await untilStatus(attachments, 'failed')
    expect({ step, code: error.code, context: error.context, canRetry }).toEqual({
      step: 'reserving',
      code: 'attachments.file_too_large',
      context: { maxSizeBytes: 100_000 },
      canRetry: false,
    })
    attachments.retry(key)
    attachments.dismiss(key)
    expect(attachments.$uploads.get()).toEqual([])
    expect(attachments.gate.sent.filter((line) => line.startsWith('POST'))).toHaveLength(1)
  })

  it('that exceeds the maximum number of files can be retried after another file is deleted', async () => {
    const attachments = await stage.open('clerk')
    attachments.add([1, 2, 3, 4, 5].map((size) => fileOf(`${size}.txt`, size)))
    await untilDone(attachments)
    attachments.add([fileOf('6.txt', 6)])
    const { error, canRetry, key } = await untilStatus(attachments, 'failed')
    expect([error.code, error.context, canRetry]).toEqual([
      'attachments.count_limit_exceeded',
      { maxActivePerObject: 5 },
      true,
    ])
    await sent(attachments.delete(attachments.$list.get().items[0]?.id ?? ''))
    attachments.retry(key)
    await untilDone(attachments)
    expect(names(attachments.$list.get())).toContain('6.txt')
  })
})
