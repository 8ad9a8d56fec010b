import { blockedCount, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  complete,
  openAttachmentsHost,
  openStore,
  refusalOf,
  reserveAndPut,
} from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { backdate, eventCodes, holdingRow, storedAttachment, storedEvents } from '../rows.ts'

let store: ObjectStore
let host: AttachmentsHost
let clerk: TestRequest

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({ store })
  clerk = await host.as({ subject: 'clerk', permissions: [...allPermissions, 'system.audit.view'] })
})
afterEach(() => store.faults.clear())
afterAll(async () => {
  await host.close()
  await store.close()
})

const statusOf = async (id: string) => (await storedAttachment(host.database, id))?.status
const eventsOf = (id: string) => eventCodes(host.database, id)
const isStale = async (id: string) => {
  const [row] = await host.database.read((db) =>
    db.execute<{ is_stale: boolean }>(sql`
      select clock_timestamp() - created_at >= ${host.config.pendingStaleAgeMs}::float8 * interval '1 ms' as is_stale
      from attachments.attachments
      where id = ${id}::uuid`),
  )
  return row?.is_stale
}

test('if an upload is deleted during its completion, it is not completed and cannot be downloaded', async () => {
  const { attachment } = await reserveAndPut(clerk)
  const { id } = attachment
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, id)
  await copy.reached
  expect((await clerk('DELETE', `/api/attachments/${id}`)).status).toBe(204)
  copy.letGo()
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.deleted' })
  expect(await storedAttachment(host.database, id)).toMatchObject({
    status: 'deleted',
    is_completed: false,
  })
  expect(await eventsOf(id)).toEqual(['upload_requested', 'mark_for_deletion'])
  expect(await refusalOf(await clerk('POST', `/api/attachments/${id}/audit-download`))).toEqual({
    status: 409,
    code: 'attachments.not_ready',
  })
})

test('an upload that expires during its completion is not completed', async () => {
  const { attachment } = await reserveAndPut(clerk)
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, attachment.id)
  await copy.reached
  await backdate(host.database, attachment.id, host.config.pendingStaleAgeMs)
  copy.letGo()
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.upload_expired' })
  expect(await statusOf(attachment.id)).toBe('pending')
  expect(await eventsOf(attachment.id)).toEqual(['upload_requested'])
})

test('if the worker deletes an expired upload during its completion, the completion fails', async () => {
  const { attachment } = await reserveAndPut(clerk)
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, attachment.id)
  await copy.reached
  await backdate(host.database, attachment.id, host.config.pendingStaleAgeMs)
  await host.attachments.workers?.[0]?.runOnce(new AbortController().signal)
  copy.letGo()
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.deleted' })
  expect(await eventsOf(attachment.id)).toEqual(['upload_requested', 'upload_expired'])
})

test('after a concurrent deletion and completion, the attachment is deleted and its events match', async () => {
  const uploads = await Promise.all(Array.from({ length: 30 }, () => reserveAndPut(clerk)))
  await Promise.all(
    uploads.map(async ({ attachment: { id } }) => {
      const [completed, deleted] = await Promise.all([
        complete(clerk, id),
        clerk('DELETE', `/api/attachments/${id}`),
      ])
      expect(deleted.status).toBe(204)
      const wasReady = completed.status === 200
      if (!wasReady) expect(await refusalOf(completed)).toEqual({ status: 409, code: 'attachments.deleted' })
      expect(await storedAttachment(host.database, id)).toEqual({
        status: 'deleted',
        is_completed: wasReady,
        is_deleted: true,
        is_leased: false,
      })
      expect(await eventsOf(id)).toEqual([
        'upload_requested',
        ...(wasReady ? ['upload_completed'] : []),
        'mark_for_deletion',
      ])
    }),
  )
})

/** Completes an upload, and deletes it while the completion waits for the row. Both then succeed. */
async function deletedDuringCompletion(query = ''): Promise<string> {
  const { attachment } = await reserveAndPut(clerk)
  const { id } = attachment
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, id)
  await copy.reached
  let deletion: ReturnType<TestRequest> | undefined
  await holdingRow(host.database, id, async () => {
    copy.letGo()
    await expect.poll(() => blockedCount(host.database)).toBe(1)
    deletion = clerk('DELETE', `/api/attachments/${id}${query}`)
    await expect.poll(() => blockedCount(host.database)).toBe(2)
  })
  expect((await completion).status).toBe(200)
  expect((await deletion)?.status).toBe(204)
  return id
}

test('if a completion locks the row before a deletion, both succeed', async () => {
  const id = await deletedDuringCompletion()
  expect(await storedAttachment(host.database, id)).toMatchObject({ status: 'deleted', is_completed: true })
  const [, , last] = await storedEvents(host.database, id)
  expect(last).toMatchObject({
    action_code: 'attachments.mark_for_deletion',
    metadata: { downloadable: true },
  })
})

test('if a completion locks the row before a deletion with unlessReady, the file stays', async () => {
  const id = await deletedDuringCompletion('?unlessReady=true')
  expect(await storedAttachment(host.database, id)).toMatchObject({ status: 'ready' })
  expect(await storedEvents(host.database, id)).toHaveLength(2)
})

test('if a deletion locks the row before a completion, the completion fails', async () => {
  const { attachment } = await reserveAndPut(clerk)
  const { id } = attachment
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, id)
  await copy.reached
  let deletion: ReturnType<TestRequest> | undefined
  await holdingRow(host.database, id, async () => {
    deletion = clerk('DELETE', `/api/attachments/${id}`)
    await expect.poll(() => blockedCount(host.database)).toBe(1)
    copy.letGo()
    await expect.poll(() => blockedCount(host.database)).toBe(2)
  })
  expect((await deletion)?.status).toBe(204)
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.deleted' })
  expect(await storedAttachment(host.database, id)).toMatchObject({
    status: 'deleted',
    is_completed: false,
  })
  expect(await eventsOf(id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('an upload that expires while its completion waits for the row lock is not completed', async () => {
  const { attachment } = await reserveAndPut(clerk)
  // The upload expires in half a second. Most of this time passes while the row is locked.
  await backdate(host.database, attachment.id, host.config.pendingStaleAgeMs - 500)
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, attachment.id)
  await copy.reached
  await holdingRow(host.database, attachment.id, async () => {
    copy.letGo()
    await expect.poll(() => blockedCount(host.database)).toBe(1)
    await expect.poll(() => isStale(attachment.id)).toBe(true)
  })
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.upload_expired' })
})

test('if another transaction has locked the row, the worker skips it and a completion waits', async () => {
  const { attachment } = await reserveAndPut(clerk)
  const copy = holdFirst(store, 'CopyObject')
  const completion = complete(clerk, attachment.id)
  await copy.reached
  await holdingRow(host.database, attachment.id, async () => {
    copy.letGo()
    await host.attachments.workers?.[0]?.runOnce(new AbortController().signal)
    expect(await statusOf(attachment.id)).toBe('pending')
  })
  expect((await completion).status).toBe(200)
  expect(await eventsOf(attachment.id)).toEqual(['upload_requested', 'upload_completed'])
})
