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

test('completing an upload answers 200 with the ready attachment', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  const ready = v.parse(Attachment, await expectJson(await complete(bench.clerk, attachment.id), 200))
  expect(ready).toEqual({ ...attachment, status: 'ready', completedAtUtc: ready.completedAtUtc })
  expect(Date.parse(ready.completedAtUtc ?? '')).toBeGreaterThanOrEqual(Date.parse(ready.createdAtUtc))
})

test('repeating a completion returns the attachment and writes no event', async () => {
  const ready = await attach(bench.clerk)
  expect(await expectJson(await complete(bench.clerk, ready.id), 200)).toEqual(ready)
  expect(await eventCodes(bench.database, ready.id)).toEqual(['upload_requested', 'upload_completed'])
})

test('repeating a completion succeeds even after the time limit', async () => {
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

test('ids are case-insensitive', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  const ready = await expectJson(await complete(bench.clerk, attachment.id.toUpperCase()), 200)
  expect(ready).toMatchObject({ id: attachment.id, status: 'ready' })
})

test('completing before the upload answers 409 and works after the upload', async () => {
  const upload = await reserve(bench.clerk)
  expect(await refused(upload.attachment.id)).toEqual({ status: 409, code: 'attachments.upload_missing' })
  expect(await storedAttachment(bench.database, upload.attachment.id)).toMatchObject({ is_leased: false })
  await put(upload, 'hello')
  expect((await complete(bench.clerk, upload.attachment.id)).status).toBe(200)
})

test.each(['hell', 'hello!'])('an upload with another size than declared answers 409 (%s)', async (bytes) => {
  const upload = await reserve(bench.clerk)
  await put(upload, bytes)
  expect(await refused(upload.attachment.id)).toEqual({ status: 409, code: 'attachments.size_mismatch' })
  expect(await storedAttachment(bench.database, upload.attachment.id)).toMatchObject({ status: 'pending' })
})

test('an upload with another content type than declared answers 409', async () => {
  // The signature enforces the declared type on clients, so the test changes the declaration instead.
  const { attachment } = await reserveAndPut(bench.clerk, { contentType: 'text/html' })
  await bench.database.statement((tx) =>
    tx.execute(sql`
      update attachments.attachments set content_type = 'text/plain' where id = ${attachment.id}::uuid`),
  )
  expect(await refused(attachment.id)).toEqual({ status: 409, code: 'attachments.content_type_mismatch' })
})

test('an upload can be completed until its time limit, then answers 409 and stays pending', async () => {
  const [over, nearly] = [await reserveAndPut(bench.clerk), await reserveAndPut(bench.clerk)]
  await backdate(bench.database, over.attachment.id, bench.config.pendingStaleAgeMs)
  await backdate(bench.database, nearly.attachment.id, bench.config.pendingStaleAgeMs - 60_000)
  expect(await refused(over.attachment.id)).toEqual({ status: 409, code: 'attachments.upload_expired' })
  expect(await storedAttachment(bench.database, over.attachment.id)).toMatchObject({ status: 'pending' })
  expect((await complete(bench.clerk, nearly.attachment.id)).status).toBe(200)
})

test('completing a deleted upload answers 409', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  await bench.clerk('DELETE', `/api/attachments/${attachment.id}`)
  expect(await refused(attachment.id)).toEqual({ status: 409, code: 'attachments.deleted' })
})

test('completing the upload of another user answers the 404 of an unknown id, pending or ready', async () => {
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

test('an upload on an unreadable object answers 404', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  bench.hidden.add(attachment.target.id)
  expect(await refused(attachment.id)).toEqual({ status: 404, code: 'attachments.not_found' })
})

test('a malformed id answers 404', async () => {
  expect(await refused('not-an-id')).toEqual({ status: 404, code: 'attachments.not_found' })
})

test('completing without the permission answers 403', async () => {
  const { attachment } = await reserveAndPut(bench.clerk)
  expect(await refused(attachment.id, bench.outsider)).toEqual({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.attachments.create' },
  })
})
