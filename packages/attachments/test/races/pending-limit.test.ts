import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  complete,
  expectJson,
  hello,
  newTarget,
  openAttachmentsHost,
  openStore,
  put,
  reserve,
} from '../harness.ts'

let store: Awaited<ReturnType<typeof openStore>>
let host: AttachmentsHost
let replica: AttachmentsHost
let clerk: TestRequest
let clerkElsewhere: TestRequest

beforeAll(async () => {
  store = await openStore()
  const options = { store, environment: { Attachments__MaxPendingPerUser: '3' } }
  host = await openAttachmentsHost(options)
  replica = await openAttachmentsHost({ ...options, databaseUrl: host.databaseUrl })
  const user = { subject: 'clerk', permissions: allPermissions }
  clerk = await host.as(user)
  clerkElsewhere = await replica.as({ subject: 'clerk' })
})
afterAll(async () => {
  await replica.close()
  await host.close()
  await store.close()
})

const begin = (request: TestRequest): Promise<Response> =>
  request('POST', '/api/attachments/uploads', { body: { target: newTarget(), ...hello } })

const rows = async () => {
  const [row] = await host.database.read((db) =>
    db.execute<{ pending: number; events: number }>(sql`
      select (select count(*)::int from attachments.attachments where status = 'pending') as pending,
        (select count(*)::int from core_audit.audit_events where action_code = 'attachments.upload_requested') as events`),
  )
  return row
}

test('concurrent reservations on different objects and replicas never exceed the limit of a user', async () => {
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, n) => begin(n % 2 === 0 ? clerk : clerkElsewhere)),
  )
  const refused = responses.filter(({ status }) => status === 429)
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(refused).toHaveLength(57)
  expect(await rows()).toEqual({ pending: 3, events: 3 })
  const [first] = refused
  expect(first?.headers.get('Retry-After')).toBe('5')
  expect(first?.headers.get('RateLimit-Policy')).toBe('"pendingUploads";q=3')
  expect(first?.headers.get('RateLimit')).toBe('"pendingUploads";r=0')
  expect(await first?.json()).toMatchObject({
    code: 'request.rate_limited',
    context: { policy: 'pendingUploads', max: 3 },
  })
})

test('other users are not affected, and a completed or cancelled upload makes room', async () => {
  const colleague = await host.as({ subject: 'colleague', permissions: allPermissions })
  const uploads = [await reserve(colleague), await reserve(colleague), await reserve(colleague)] as const
  expect((await begin(colleague)).status).toBe(429)
  await put(uploads[0], 'hello')
  await expectJson(await complete(colleague, uploads[0].attachment.id), 200)
  expect((await begin(colleague)).status).toBe(201)
  expect((await begin(colleague)).status).toBe(429)
  expect((await colleague('DELETE', `/api/attachments/${uploads[1].attachment.id}`)).status).toBe(204)
  expect((await begin(colleague)).status).toBe(201)
})
