import { newId } from '@vertical-kit/core-audit'
import { blockedCount, removeRoles, type TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { allPermissions, attach, complete, newTarget, refusalOf, reserve, reserveAndPut } from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { eventCodes, holdingRow, storedAttachment, storedEvents } from '../rows.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench
/** A user with the create permission but without the delete permission. */
let uploader: TestRequest

const createOnly = ['system.attachments.create']

beforeAll(async () => {
  bench = await openRoutesBench({ Attachments__MaxActivePerObject: '1' })
  uploader = await bench.as({ subject: 'uploader', permissions: createOnly })
})
afterEach(() => bench.store.faults.clear())
afterAll(() => bench.close())

const remove = (id: string, request = uploader) => request('DELETE', `/api/attachments/${id}`)

const deletionDenied = {
  status: 403,
  code: 'permission.denied',
  context: { permission: 'system.attachments.delete' },
}
const notFound = { status: 404, code: 'attachments.not_found' }

test('users without the delete permission can cancel their own uploads', async () => {
  const { attachment } = await reserve(uploader)
  const response = await remove(attachment.id)
  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
  const events = await storedEvents(bench.database, attachment.id)
  expect(events.map((event) => event.action_code)).toEqual([
    'attachments.upload_requested',
    'attachments.mark_for_deletion',
  ])
  expect(events[1]?.actor_user_id).toBe(attachment.createdByUserId)
})

test('an object at its limit accepts another reservation after an upload is cancelled', async () => {
  const target = newTarget()
  const { attachment } = await reserve(uploader, { target })
  await remove(attachment.id)
  await reserve(uploader, { target })
})

test('a repeated cancellation returns 204 and writes no event', async () => {
  const { attachment } = await reserve(uploader)
  expect((await remove(attachment.id)).status).toBe(204)
  expect((await remove(attachment.id)).status).toBe(204)
  expect(await eventCodes(bench.database, attachment.id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('a cancelled upload cannot be completed', async () => {
  const { attachment } = await reserveAndPut(uploader)
  await remove(attachment.id)
  expect(await refusalOf(await complete(uploader, attachment.id))).toEqual({
    status: 409,
    code: 'attachments.deleted',
  })
})

test("cancelling another user's upload needs the delete permission", async () => {
  const { attachment } = await reserve(bench.clerk)
  expect(await refusalOf(await remove(attachment.id))).toEqual(deletionDenied)
  expect(await eventCodes(bench.database, attachment.id)).toEqual(['upload_requested'])
})

test('users without the delete permission cannot delete their own completed files', async () => {
  const { id } = await attach(uploader)
  expect(await refusalOf(await remove(id))).toEqual(deletionDenied)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'ready' })
  expect((await remove(id, bench.clerk)).status).toBe(204)
  expect(await refusalOf(await remove(id))).toEqual(deletionDenied)
})

test('users with only the delete permission can cancel their own uploads', async () => {
  const subject = 'lost the right to create'
  const { attachment } = await reserve(await bench.as({ subject, permissions: createOnly }))
  await takeRoles(subject)
  const request = await bench.as({ subject, permissions: ['system.attachments.delete'] })
  expect((await remove(attachment.id, request)).status).toBe(204)
})

test('a deletion by a user without permissions returns 403 for every id', async () => {
  const subject = 'lost every right'
  const request = await bench.as({ subject, permissions: createOnly })
  const { attachment } = await reserve(request)
  await takeRoles(subject)
  for (const id of [attachment.id, newId(), 'not-an-id']) {
    expect(await refusalOf(await remove(id, request))).toEqual(deletionDenied)
  }
})

test('cancelling returns the same 404 for unknown ids, malformed ids and uploads with unreadable targets', async () => {
  const { attachment: own } = await reserve(uploader)
  const { attachment: other } = await reserve(bench.clerk)
  bench.hidden.add(own.target.id).add(other.target.id)
  for (const id of [newId(), 'not-an-id', own.id, other.id]) {
    expect(await refusalOf(await remove(id))).toEqual(notFound)
  }
  expect(await eventCodes(bench.database, own.id)).toEqual(['upload_requested'])
})

test('if the upload is completed while a cancellation waits, the cancellation needs the delete permission', async () => {
  const { attachment } = await reserveAndPut(uploader)
  const { id } = attachment
  const copy = holdFirst(bench.store, 'CopyObject')
  const completion = complete(uploader, id)
  await copy.reached
  let cancellation: Promise<Response> | undefined
  await holdingRow(bench.database, id, async () => {
    copy.letGo()
    await expect.poll(() => blockedCount(bench.database)).toBe(1)
    cancellation = remove(id)
    await expect.poll(() => blockedCount(bench.database)).toBe(2)
  })
  expect((await completion).status).toBe(200)
  expect(await refused(cancellation)).toEqual(deletionDenied)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'ready', is_deleted: false })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'upload_completed'])
})

test('if an upload is cancelled during its completion, the completion fails', async () => {
  const { attachment } = await reserveAndPut(uploader)
  const { id } = attachment
  const copy = holdFirst(bench.store, 'CopyObject')
  const completion = complete(uploader, id)
  await copy.reached
  expect((await remove(id)).status).toBe(204)
  copy.letGo()
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.deleted' })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('if an upload is concurrently cancelled and completed, exactly one of the requests succeeds', async () => {
  const uploads = await Promise.all(Array.from({ length: 20 }, () => reserveAndPut(uploader)))
  await Promise.all(
    uploads.map(async ({ attachment: { id } }) => {
      const [completed, cancelled] = await Promise.all([complete(uploader, id), remove(id)])
      const isReady = completed.status === 200
      if (isReady) expect(await refusalOf(cancelled)).toEqual(deletionDenied)
      else expect([cancelled.status, (await refusalOf(completed)).code]).toEqual([204, 'attachments.deleted'])
      expect(await eventCodes(bench.database, id)).toEqual([
        'upload_requested',
        isReady ? 'upload_completed' : 'mark_for_deletion',
      ])
    }),
  )
})

test.each([
  {
    what: 'the caller has lost the role',
    revoke: ({ subject }: Case) => takeRoles(subject),
    refusal: deletionDenied,
  },
  {
    what: 'the caller can no longer read the target',
    revoke: async ({ targetId }: Case) => bench.hidden.add(targetId),
    refusal: notFound,
  },
])('a cancellation that waits for the row lock fails and writes nothing if $what', async (row) => {
  const subject = `cancels, ${row.what}`
  const request = await bench.as({ subject, permissions: createOnly })
  const { id, target } = (await reserve(request)).attachment
  let cancellation: Promise<Response> | undefined
  await holdingRow(bench.database, id, async () => {
    cancellation = remove(id, request)
    await expect.poll(() => blockedCount(bench.database)).toBe(1)
    await row.revoke({ subject, targetId: target.id })
  })
  expect(await refused(cancellation)).toEqual(row.refusal)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'pending', is_deleted: false })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested'])
})

test('a deletion fails if the caller loses the delete permission while it waits for the row lock', async () => {
  const subject = 'keeps the right to create'
  const request = await bench.as({ subject, permissions: allPermissions })
  const { id } = await attach(request)
  let deletion: Promise<Response> | undefined
  await holdingRow(bench.database, id, async () => {
    deletion = remove(id, request)
    await expect.poll(() => blockedCount(bench.database)).toBe(1)
    await takeRoles(subject)
    await bench.as({ subject, permissions: createOnly })
  })
  expect(await refused(deletion)).toEqual(deletionDenied)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'ready' })
})

interface Case {
  readonly subject: string
  readonly targetId: string
}

const takeRoles = (subject: string) => bench.database.statement((tx) => removeRoles(tx, subject))

/** Waits for the response to a request that was sent earlier and returns its status, code and context. */
async function refused(request: Promise<Response> | undefined) {
  if (request === undefined) throw new Error('The request was not sent')
  return refusalOf(await request)
}
