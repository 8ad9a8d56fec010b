import { newId } from '@vertical-kit/core-audit'
import { blockedCount, removeRoles, type TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { allPermissions, attach, complete, newTarget, refusalOf, reserve, reserveAndPut } from '../harness.ts'
import { holdFirstCopy } from '../races/hold-first-copy.ts'
import { eventCodes, holdingRow, storedAttachment, storedEvents } from '../rows.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench
/** A user with permission to upload files, but not to delete them. */
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

test('the author of an upload may cancel it without the delete permission', async () => {
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

test('a cancelled upload frees a place in the quota', async () => {
  const target = newTarget()
  const { attachment } = await reserve(uploader, { target })
  await remove(attachment.id)
  await reserve(uploader, { target })
})

test('repeating a cancellation answers 204 and writes no event', async () => {
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

test('cancelling the upload of another user needs the delete permission', async () => {
  const { attachment } = await reserve(bench.clerk)
  expect(await refusalOf(await remove(attachment.id))).toEqual(deletionDenied)
  expect(await eventCodes(bench.database, attachment.id)).toEqual(['upload_requested'])
})

test('deleting an own completed file needs the delete permission', async () => {
  const { id } = await attach(uploader)
  expect(await refusalOf(await remove(id))).toEqual(deletionDenied)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'ready' })
  expect((await remove(id, bench.clerk)).status).toBe(204)
  expect(await refusalOf(await remove(id))).toEqual(deletionDenied)
})

test('the delete permission is enough to cancel an own upload', async () => {
  const subject = 'lost the right to create'
  const { attachment } = await reserve(await bench.as({ subject, permissions: createOnly }))
  await takeRoles(subject)
  const request = await bench.as({ subject, permissions: ['system.attachments.delete'] })
  expect((await remove(attachment.id, request)).status).toBe(204)
})

test('without either permission every id answers 403', async () => {
  const subject = 'lost every right'
  const request = await bench.as({ subject, permissions: createOnly })
  const { attachment } = await reserve(request)
  await takeRoles(subject)
  for (const id of [attachment.id, newId(), 'not-an-id']) {
    expect(await refusalOf(await remove(id, request))).toEqual(deletionDenied)
  }
})

test('unknown ids, malformed ids and uploads on hidden objects answer identical 404s', async () => {
  const { attachment: own } = await reserve(uploader)
  const { attachment: other } = await reserve(bench.clerk)
  bench.hidden.add(own.target.id).add(other.target.id)
  for (const id of [newId(), 'not-an-id', own.id, other.id]) {
    expect(await refusalOf(await remove(id))).toEqual(notFound)
  }
  expect(await eventCodes(bench.database, own.id)).toEqual(['upload_requested'])
})

test('a cancellation that waits for a completion needs the delete permission', async () => {
  const { attachment } = await reserveAndPut(uploader)
  const { id } = attachment
  const copy = holdFirstCopy(bench.store)
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

test('a completion that waits for a cancellation fails with deleted', async () => {
  const { attachment } = await reserveAndPut(uploader)
  const { id } = attachment
  const copy = holdFirstCopy(bench.store)
  const completion = complete(uploader, id)
  await copy.reached
  expect((await remove(id)).status).toBe(204)
  copy.letGo()
  expect(await refusalOf(await completion)).toEqual({ status: 409, code: 'attachments.deleted' })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('each of 20 uploads, concurrently cancelled and completed, ends in one state with its events', async () => {
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
    what: 'the target is hidden',
    revoke: async ({ targetId }: Case) => bench.hidden.add(targetId),
    refusal: notFound,
  },
])('a waiting cancellation fails and writes nothing if $what', async (row) => {
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

test('a waiting deletion fails if only the create permission is left', async () => {
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

/** Waits for a request that was sent earlier and returns its error. */
async function refused(request: Promise<Response> | undefined) {
  if (request === undefined) throw new Error('The request was not sent')
  return refusalOf(await request)
}
