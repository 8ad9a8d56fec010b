import { holdTransaction, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore, OperationCall } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  complete,
  downloadedText,
  openAttachmentsHost,
  openStore,
  put,
  refusalOf,
  reserveAndPut,
} from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { endLease, eventCodes, storedAttachment } from '../rows.ts'

const kinds = [
  { kind: 'honours copy conditions', prepare: () => {} },
  {
    kind: 'ignores copy conditions',
    prepare: (store: ObjectStore) => {
      store.faults.ignoreCopyConditions()
    },
  },
]

describe.each(kinds)('on a store that $kind', ({ prepare }) => {
  let store: ObjectStore
  let host: AttachmentsHost
  let clerk: TestRequest

  beforeAll(async () => {
    store = await openStore()
    host = await openAttachmentsHost({ store })
    clerk = await host.as({ subject: 'clerk', permissions: [...allPermissions, 'system.audit.view'] })
    prepare(store)
  })
  afterEach(() => {
    store.faults.clear()
    prepare(store)
  })
  afterAll(async () => {
    await host.close()
    await store.close()
  })

  const statusOf = async (id: string) => (await storedAttachment(host.database, id))?.status
  const eventsOf = (id: string) => eventCodes(host.database, id)

  test('an open transaction that refers to the attachment delays neither its completion nor its deletion', async () => {
    const { id } = (await reserveAndPut(clerk)).attachment
    // The lock of a foreign key.
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`select from attachments.attachments where id = ${id}::uuid for key share`),
    )
    expect((await complete(clerk, id)).status).toBe(200)
    expect((await clerk('DELETE', `/api/attachments/${id}`)).status).toBe(204)
    await held.commit()
  })

  test('ten concurrent completions make one copy, one ready attachment and one event', async () => {
    const { attachment } = await reserveAndPut(clerk)
    const copies: OperationCall[] = []
    store.faults.before('CopyObject', async (call) => copies.push(call))
    const responses = await Promise.all(Array.from({ length: 10 }, () => complete(clerk, attachment.id)))
    const bodies = await Promise.all(responses.map((response) => response.text()))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(new Set(bodies).size).toBe(1)
    expect(copies).toHaveLength(1)
    expect(await eventsOf(attachment.id)).toEqual(['upload_requested', 'upload_completed'])
  })

  test('a second completion waits for the first and does not call the store', async () => {
    const { attachment } = await reserveAndPut(clerk)
    const copy = holdFirst(store, 'CopyObject')
    const first = complete(clerk, attachment.id)
    await copy.reached
    const second = complete(clerk, attachment.id)
    copy.letGo()
    expect((await first).status).toBe(200)
    expect((await second).status).toBe(200)
    expect(copy.calls).toHaveLength(1)
  })

  test('calls to the store use no database connection', async () => {
    const { attachment } = await reserveAndPut(clerk)
    const copy = holdFirst(store, 'CopyObject')
    const completion = complete(clerk, attachment.id)
    await copy.reached
    expect(host.database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
    copy.letGo()
    await completion
  })

  test('if the upload is replaced between check and copy, only a second completion seals it', async () => {
    const upload = await reserveAndPut(clerk)
    const { id } = upload.attachment
    const swap = store.faults.before('CopyObject', () => put(upload, 'HELLO'))
    expect(await refusalOf(await complete(clerk, id))).toEqual({
      status: 409,
      code: 'attachments.upload_changed',
    })
    swap.clear()
    expect(await storedAttachment(host.database, id)).toEqual({
      status: 'pending',
      is_completed: false,
      is_deleted: false,
      is_leased: false,
    })
    expect(await refusalOf(await clerk('POST', `/api/attachments/${id}/download`))).toEqual({
      status: 409,
      code: 'attachments.not_ready',
    })
    expect((await complete(clerk, id)).status).toBe(200)
    expect(await downloadedText(clerk, id)).toBe('HELLO')
    expect(await eventsOf(id)).toEqual(['upload_requested', 'upload_completed'])
  })

  test('a second upload after the completion does not change the downloaded bytes', async () => {
    const upload = await reserveAndPut(clerk)
    await complete(clerk, upload.attachment.id)
    expect((await put(upload, 'HELLO')).status).toBe(200)
    expect((await complete(clerk, upload.attachment.id)).status).toBe(200)
    expect(await downloadedText(clerk, upload.attachment.id)).toBe('hello')
  })

  test('a completion with an expired lease commits nothing, even if no other attempt has the lease', async () => {
    const { attachment } = await reserveAndPut(clerk)
    const copy = holdFirst(store, 'CopyObject')
    const late = complete(clerk, attachment.id)
    await copy.reached
    await endLease(host.database, attachment.id)
    copy.letGo()
    expect(await refusalOf(await late)).toEqual({ status: 503, code: 'attachments.storage_unavailable' })
    expect(await statusOf(attachment.id)).toBe('pending')
    expect(await eventsOf(attachment.id)).toEqual(['upload_requested'])
    expect((await complete(clerk, attachment.id)).status).toBe(200)
  })

  test('a completion with an expired lease succeeds if another attempt has completed the upload', async () => {
    const { attachment } = await reserveAndPut(clerk)
    const copy = holdFirst(store, 'CopyObject')
    const late = complete(clerk, attachment.id)
    await copy.reached
    await endLease(host.database, attachment.id)
    expect((await complete(clerk, attachment.id)).status).toBe(200)
    copy.letGo()
    expect((await late).status).toBe(200)
    expect(await eventsOf(attachment.id)).toEqual(['upload_requested', 'upload_completed'])
    expect(await downloadedText(clerk, attachment.id)).toBe('hello')
  })

  test('a late completion never overwrites sealed bytes, even after a new upload', async () => {
    const upload = await reserveAndPut(clerk)
    const { id } = upload.attachment
    const copy = holdFirst(store, 'CopyObject')
    const late = complete(clerk, id)
    await copy.reached
    await endLease(host.database, id)
    await put(upload, 'HELLO')
    expect((await complete(clerk, id)).status).toBe(200)
    await put(upload, 'hello')
    copy.letGo()
    expect((await late).status).toBe(200)
    expect(copy.calls.map(({ key }) => key)).toEqual([`attachments/${id}`, `attachments/${id}.2`])
    expect(await downloadedText(clerk, id)).toBe('HELLO')
    expect(await eventsOf(id)).toEqual(['upload_requested', 'upload_completed'])
  })
})
