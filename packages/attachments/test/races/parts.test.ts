import { holdTransaction, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  allPermissions,
  complete,
  downloadedText,
  expectJson,
  putPart,
  refusalOf,
  reserveAndPutPart,
  reserveParts,
  signedPart,
} from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { openRoutesBench, type RoutesBench } from '../routes/bench.ts'
import { endLease, eventCodes, storedAttachment } from '../rows.ts'

let bench: RoutesBench
let clerk: TestRequest

beforeAll(async () => {
  bench = await openRoutesBench()
  clerk = bench.clerk
})
afterEach(() => bench.store.faults.clear())
afterAll(() => bench.close())

const join = 'CompleteMultipartUpload'
const completedOnce = ['upload_requested', 'upload_completed']

test('ten concurrent completions join the parts once and write one event', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  const joined = holdFirst(bench.store, join)
  joined.letGo()
  const responses = await Promise.all(Array.from({ length: 10 }, () => complete(clerk, id)))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect(joined.calls).toHaveLength(1)
  expect(await eventCodes(bench.database, id)).toEqual(completedOnce)
})

test('requests that sign the first parts concurrently send them to one upload of the store', async () => {
  const { id } = (await reserveParts(clerk)).attachment
  const started = holdFirst(bench.store, 'CreateMultipartUpload')
  const slow = signedPart(clerk, id)
  await started.reached
  const quick = await signedPart(clerk, id)
  started.letGo()
  const uploadIdOf = (url: string) => new URL(url).searchParams.get('uploadId')
  expect(uploadIdOf(await slow)).toBe(uploadIdOf(quick))
  expect(await putPart(quick, 'hello')).toBe(200)
  expect((await complete(clerk, id)).status).toBe(200)
})

test('a signed URL cannot change a part after the completion', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  const url = await signedPart(clerk, id)
  await complete(clerk, id)
  expect(await putPart(url, 'HELLO')).toBe(404)
  expect((await complete(clerk, id)).status).toBe(200)
  expect(await downloadedText(clerk, id)).toBe('hello')
})

test('if a part is replaced between the check and the join, only a second completion accepts it', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  const url = await signedPart(clerk, id)
  const swap = bench.store.faults.before(join, () => putPart(url, 'HELLO'))
  expect(await refusalOf(await complete(clerk, id))).toEqual({
    status: 409,
    code: 'attachments.upload_changed',
  })
  swap.clear()
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'pending', is_leased: false })
  expect((await complete(clerk, id)).status).toBe(200)
  expect(await downloadedText(clerk, id)).toBe('HELLO')
  expect(await eventCodes(bench.database, id)).toEqual(completedOnce)
})

test('if the answer of the join is lost, the next completion finds the joined file', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  // The check after the join fails, as does the answer of a store that ends during the join.
  const fault = bench.store.faults.fail({ operations: ['HeadObject'], status: 503 })
  expect(await refusalOf(await complete(clerk, id))).toEqual({
    status: 503,
    code: 'attachments.storage_unavailable',
  })
  fault.clear()
  // A client that lists the parts learns that none is missing.
  const parts = await clerk('GET', `/api/attachments/${id}/parts`)
  expect(await expectJson(parts, 200)).toMatchObject({ items: [{ partNumber: 1, sizeBytes: 5 }] })
  expect((await complete(clerk, id)).status).toBe(200)
  expect(await downloadedText(clerk, id)).toBe('hello')
  expect(await eventCodes(bench.database, id)).toEqual(completedOnce)
})

test('a late join of an attempt that lost its lease does not change the completed file', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  const url = await signedPart(clerk, id)
  const held = holdFirst(bench.store, join)
  const late = complete(clerk, id)
  await held.reached
  await endLease(bench.database, id)
  await putPart(url, 'HELLO')
  expect((await complete(clerk, id)).status).toBe(200)
  held.letGo()
  expect((await late).status).toBe(200)
  expect(await downloadedText(clerk, id)).toBe('HELLO')
  expect(await eventCodes(bench.database, id)).toEqual(completedOnce)
})

test('if an upload is deleted while its parts are joined, it never becomes downloadable', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  const held = holdFirst(bench.store, join)
  const completing = complete(clerk, id)
  await held.reached
  expect((await clerk('DELETE', `/api/attachments/${id}`)).status).toBe(204)
  held.letGo()
  const deleted = { status: 409, code: 'attachments.deleted' }
  expect(await refusalOf(await completing)).toEqual(deleted)
  expect(await refusalOf(await complete(clerk, id))).toEqual(deleted)
  const auditor = await bench.as({
    subject: 'auditor',
    permissions: [...allPermissions, 'system.audit.view'],
  })
  expect(await refusalOf(await auditor('POST', `/api/attachments/${id}/audit-download`))).toEqual({
    status: 409,
    code: 'attachments.not_ready',
  })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('if an upload is deleted while its first part is signed, no URL is returned', async () => {
  const { id } = (await reserveParts(clerk)).attachment
  const started = holdFirst(bench.store, 'CreateMultipartUpload')
  const signing = clerk('POST', `/api/attachments/${id}/parts`, { body: { partNumbers: [1] } })
  await started.reached
  await clerk('DELETE', `/api/attachments/${id}`)
  started.letGo()
  expect(await refusalOf(await signing)).toEqual({ status: 409, code: 'attachments.deleted' })
})

test.each(['CreateMultipartUpload', 'ListParts', join] as const)(
  'a call of %s uses no database connection',
  async (operation) => {
    const { id } = (await reserveAndPutPart(clerk)).attachment
    const fresh = (await reserveParts(clerk)).attachment
    const held = holdFirst(bench.store, operation)
    const working = operation === 'CreateMultipartUpload' ? signedPart(clerk, fresh.id) : complete(clerk, id)
    await held.reached
    expect(bench.database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
    held.letGo()
    await working
  },
)

test('an open transaction that refers to the attachment does not delay the first signature', async () => {
  const { id } = (await reserveParts(clerk)).attachment
  const held = await holdTransaction(bench.database, (tx) =>
    tx.execute(sql`select from attachments.attachments where id = ${id}::uuid for key share`),
  )
  expect(await signedPart(clerk, id)).toContain('uploadId=')
  await held.commit()
})
