import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  complete,
  downloadedText,
  expectJson,
  openAttachmentsHost,
  openStore,
  put,
  refusalOf,
  reserve,
  reserveAndPut,
} from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { endLease, eventCodes, leaseToTheDead, storedAttachment } from '../rows.ts'
import { storedKeys } from '../stored-files.ts'

const poolMax = 5
let store: ObjectStore
/** A host that waits one second for the store. Tests use this host for calls that must time out. */
let host: AttachmentsHost
let clerk: TestRequest
/** A host with the same database that waits 30 seconds for the store. Tests use this host for calls that must succeed. */
let patientHost: AttachmentsHost
let patientClerk: TestRequest

const timeLimit = (seconds: number) => ({ Attachments__Storage__RequestTimeoutSeconds: String(seconds) })

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({ store, environment: timeLimit(1), database: { poolMax } })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const { databaseUrl } = host
  patientHost = await openAttachmentsHost({
    store,
    environment: timeLimit(30),
    database: { poolMax },
    databaseUrl,
  })
  patientClerk = await patientHost.as({ subject: 'clerk', permissions: allPermissions })
})
afterEach(() => store.faults.clear())
afterAll(async () => {
  await patientHost.close()
  await host.close()
  await store.close()
})

const unavailable = { status: 503, code: 'attachments.storage_unavailable' }

/** Returns the status, code, context and `Retry-After` header of an error response. */
async function refusalWithRetry(response: Response): Promise<object> {
  return { ...(await refusalOf(response.clone())), retryAfter: response.headers.get('retry-after') }
}

test('while 20 completions wait for the store, other work can still use the database', async () => {
  const uploads = await Promise.all(Array.from({ length: 20 }, () => reserveAndPut(clerk)))
  const hang = store.faults.hang()
  let answeredCount = 0
  const completions = uploads.map(async ({ attachment }) => {
    const { status } = await complete(patientClerk, attachment.id)
    answeredCount += 1
    return status
  })
  await hang.reached
  const reads = await Promise.all(
    Array.from({ length: 200 }, () =>
      patientHost.database.read((db) => db.execute(sql`select count(*) from attachments.attachments`)),
    ),
  )
  expect(reads).toHaveLength(200)
  expect(answeredCount).toBe(0)
  hang.clear()
  expect(new Set(await Promise.all(completions))).toEqual(new Set([200]))
})

test('if the store does not answer, completions return 503', async () => {
  const uploads = await Promise.all(Array.from({ length: 20 }, () => reserveAndPut(clerk)))
  store.faults.hang()
  const refusals = uploads.map(async ({ attachment }) =>
    refusalWithRetry(await complete(clerk, attachment.id)),
  )
  for (const refusal of await Promise.all(refusals)) {
    expect(refusal).toEqual({ ...unavailable, retryAfter: '5' })
  }
})

test('lists, reservations, download URLs and deletions work while the store cannot be reached', async () => {
  const { attachment } = await reserveAndPut(clerk)
  await complete(patientClerk, attachment.id)
  store.faults.unreachable()
  const { kind, typeCode, id } = attachment.target
  const list = await clerk('GET', `/api/attachments?kind=${kind}&typeCode=${typeCode}&objectId=${id}`)
  expect(await expectJson(list, 200)).toMatchObject({ items: [{ id: attachment.id }] })
  await reserve(clerk)
  expect((await clerk('POST', `/api/attachments/${attachment.id}/download`)).status).toBe(200)
  expect((await clerk('DELETE', `/api/attachments/${attachment.id}`)).status).toBe(204)
})

test.each([
  ['cannot be reached', () => store.faults.unreachable(), () => patientClerk],
  [
    'fails during the check',
    () => store.faults.fail({ status: 500, operations: ['HeadObject'] }),
    () => patientClerk,
  ],
  [
    'is overloaded during the copy',
    () => store.faults.fail({ status: 503, operations: ['CopyObject'] }),
    () => patientClerk,
  ],
  ['hangs during the check', () => store.faults.hang({ operations: ['HeadObject'] }), () => clerk],
] as const)(
  'if the store %s, the upload stays pending and can be completed later',
  async (_how, fail, of) => {
    const { attachment } = await reserveAndPut(clerk)
    const fault = fail()
    expect(await refusalWithRetry(await complete(of(), attachment.id))).toEqual({
      ...unavailable,
      retryAfter: '5',
    })
    fault.clear()
    expect(await storedAttachment(host.database, attachment.id)).toMatchObject({
      status: 'pending',
      is_leased: false,
    })
    expect((await complete(patientClerk, attachment.id)).status).toBe(200)
  },
)

test('after one temporary failure of the store, the check is retried and the completion succeeds', async () => {
  const { attachment } = await reserveAndPut(clerk)
  store.faults.fail({ status: 503, operations: ['HeadObject'], times: 1 })
  expect((await complete(patientClerk, attachment.id)).status).toBe(200)
})

test('if the store does not answer a copy request, the next attempt does not wait for it', async () => {
  const upload = await reserveAndPut(clerk)
  const { id } = upload.attachment
  const copy = holdFirst(store, 'CopyObject')
  // Within three seconds, the check before the copy succeeds on any machine. The test waits until the copy times out.
  const { databaseUrl } = host
  const other = await openAttachmentsHost({ store, environment: timeLimit(3), databaseUrl })
  onTestFinished(() => other.close())
  const otherClerk = await other.as({ subject: 'clerk', permissions: allPermissions })
  expect(await refusalOf(await complete(otherClerk, id))).toEqual(unavailable)
  expect(await storedAttachment(host.database, id)).toMatchObject({ status: 'pending', is_leased: false })
  await put(upload, 'HELLO')
  expect((await complete(patientClerk, id)).status).toBe(200)
  await put(upload, 'hello')
  copy.letGo()
  // The store now executes the first copy, which has its own key.
  await expect.poll(() => storedKeys(store)).toContain(`attachments/${id}`)
  expect(await downloadedText(patientClerk, id)).toBe('HELLO')
  expect(await eventCodes(host.database, id)).toEqual(['upload_requested', 'upload_completed'])
})

test('after the verification of a copy has failed, a second completion succeeds', async () => {
  const { attachment } = await reserveAndPut(clerk)
  const fail = store.faults.before('CopyObject', async () => {
    store.faults.fail({ status: 500, operations: ['HeadObject'] })
  })
  expect(await refusalOf(await complete(patientClerk, attachment.id))).toEqual(unavailable)
  fail.clear()
  store.faults.clear()
  expect(await storedAttachment(host.database, attachment.id)).toMatchObject({ is_leased: false })
  expect((await complete(patientClerk, attachment.id)).status).toBe(200)
})

test('a completion waits ten seconds for the lease of another attempt and then returns 503', async () => {
  const { attachment } = await reserveAndPut(clerk)
  await leaseToTheDead(host.database, attachment.id)
  const limit = new AbortController()
  const started = Promise.withResolvers<void>()
  const { timeout } = AbortSignal
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== 10_000) return timeout.call(AbortSignal, ms)
    started.resolve()
    return limit.signal
  })
  onTestFinished(() => limits.mockRestore())
  const response = complete(patientClerk, attachment.id)
  await started.promise
  limit.abort()
  expect(await refusalWithRetry((await response).clone())).toEqual({ ...unavailable, retryAfter: '5' })
  expect(await (await response).json()).toMatchObject({
    detail: 'Another request is completing this upload. Try again.',
  })
  expect(await storedAttachment(host.database, attachment.id)).toMatchObject({ is_leased: true })
})

test('a waiting completion acquires the lease when the lease expires', async () => {
  const { attachment } = await reserveAndPut(clerk)
  await leaseToTheDead(host.database, attachment.id)
  const head = store.faults.before('HeadObject', async () => {})
  const completion = complete(patientClerk, attachment.id)
  await endLease(host.database, attachment.id)
  await head.reached
  expect((await completion).status).toBe(200)
})
