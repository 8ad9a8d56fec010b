import { Attachment } from '@vertical-kit/attachments/contract'
import { newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attach, complete, expectJson, put, refusalOf, reserve, reserveAndPut } from '../harness.ts'
import { backdate, eventCodes, storedAttachment } from '../rows.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench

beforeAll(async () => {
  bench = await openRoutesBench()
})
afterAll(() => bench.close())

const refused = async (id: string, request = bench.clerk) => refusalOf(await complete(request, id))

test('completing an upload returns 200 with the ready attachment', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  const ready = v.parse(Attachment, await expectJson(await complete(bench.clerk, attachment.id), 200))
  expect(ready).toEqual({ ...attachment, status: 'ready', completedAtUtc: ready.completedAtUtc })
  expect(Date.parse(ready.completedAtUtc ?? '')).toBeGreaterThanOrEqual(Date.parse(ready.createdAtUtc))
})

test('a repeated completion returns the same attachment and writes no event', async () => {
  const ready = await attach(bench.clerk)
  expect(await expectJson(await complete(bench.clerk, ready.id), 200)).toEqual(ready)
  expect(await eventCodes(bench.database, ready.id)).toEqual(['upload_requested', 'upload_completed'])
})

test('a repeated completion succeeds even after PendingStaleAge has passed', async () => {
  const ready = await attach(bench.clerk)
  await backdate(bench.database, ready.id, bench.config.pendingStaleAgeMs)
  expect(await expectJson(await complete(bench.clerk, ready.id), 200)).toMatchObject({ status: 'ready' })
})

test('an empty file can be completed', async () => {
  const upload = await reserve(bench.clerk, { sizeBytes: 0 })
  await put(upload, '')
  const ready = await expectJson(await complete(bench.clerk, upload.attachment.id), 200)
  expect(ready).toMatchObject({ status: 'ready', sizeBytes: 0 })
})

test('an upload can be completed with its id in upper case', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  const ready = await expectJson(await complete(bench.clerk, attachment.id.toUpperCase()), 200)
  expect(ready).toMatchObject({ id: attachment.id, status: 'ready' })
})

test('a completion returns 409 before the file is uploaded and succeeds afterwards', async () => {
  const upload = await reserve(bench.clerk)
  expect(await refused(upload.attachment.id)).toEqual({ status: 409, code: 'attachments.upload_missing' })
  expect(await storedAttachment(bench.database, upload.attachment.id)).toMatchObject({ is_leased: false })
  await put(upload, 'hello')
  expect((await complete(bench.clerk, upload.attachment.id)).status).toBe(200)
})

test.each(['hell', 'hello!'])(
  'a completion returns 409 if %j is uploaded instead of five bytes',
  async (bytes) => {
    const upload = await reserve(bench.clerk)
    await put(upload, bytes)
    expect(await refused(upload.attachment.id)).toEqual({ status: 409, code: 'attachments.size_mismatch' })
    expect(await storedAttachment(bench.database, upload.attachment.id)).toMatchObject({ status: 'pending' })
  },
)

test('a completion returns 409 if the uploaded content type differs from the declared content type', async () => {
  // The signed URL does not accept a different content type, so the test changes the stored declaration instead.
  const { attachment } = await reserveAndPut(bench.clerk, { contentType: 'text/html' })
  await bench.database.statement((tx) =>
    tx.execute(sql`
      update attachments.attachments set content_type = 'text/plain' where id = ${attachment.id}::uuid`),
  )
  expect(await refused(attachment.id)).toEqual({ status: 409, code: 'attachments.content_type_mismatch' })
})

test('a completion succeeds until PendingStaleAge has passed and then returns 409', async () => {
  const [over, nearly] = [await reserveAndPut(bench.clerk), await reserveAndPut(bench.clerk)]
  await backdate(bench.database, over.attachment.id, bench.config.pendingStaleAgeMs)
  await backdate(bench.database, nearly.attachment.id, bench.config.pendingStaleAgeMs - 60_000)
  expect(await refused(over.attachment.id)).toEqual({ status: 409, code: 'attachments.upload_expired' })
  expect(await storedAttachment(bench.database, over.attachment.id)).toMatchObject({ status: 'pending' })
  expect((await complete(bench.clerk, nearly.attachment.id)).status).toBe(200)
})

test('completing a deleted upload returns 409', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  await bench.clerk('DELETE', `/api/attachments/${attachment.id}`)
  expect(await refused(attachment.id)).toEqual({ status: 409, code: 'attachments.deleted' })
})

test("completing another user's pending or ready upload returns the same 404 as an unknown id", async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  const notFound = await (await complete(bench.colleague, newId())).json()
  const answers = [await complete(bench.colleague, attachment.id)]
  await complete(bench.clerk, attachment.id)
  answers.push(await complete(bench.colleague, attachment.id))
  for (const answer of answers) {
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ ...(notFound as object), requestId: expect.any(String) })
  }
})

test('a completion returns 404 if the caller cannot read the target', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  bench.hidden.add(attachment.target.id)
  expect(await refused(attachment.id)).toEqual({ status: 404, code: 'attachments.not_found' })
})

test('completing an upload with a malformed id returns 404', async () => {
  expect(await refused('not-an-id')).toEqual({ status: 404, code: 'attachments.not_found' })
})

test('a completion by a caller without the create permission returns 403', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  expect(await refused(attachment.id, bench.outsider)).toEqual({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.attachments.create' },
  })
})
