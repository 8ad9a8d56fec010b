import { auditTimeline, newId } from '@vertical-kit/core-audit'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import type { TestHost, TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { event } from './events.ts'
import {
  ask,
  businessObjects,
  invoice,
  item,
  modulesOf,
  openTimelineHost,
  page,
  record,
  refusal,
  sources,
} from './timeline-host.ts'

let host: TestHost
let auditor: TestRequest
let insider: TestRequest
beforeAll(async () => {
  host = await openTimelineHost()
  auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
  insider = await host.as({
    subject: 'insider',
    permissions: ['system.audit.view', 'system.secrets.read'],
  })
})
afterAll(() => host.close())

const codes = ({ items }: AuditEventPage) => items.map(({ actionCode }) => actionCode)

describe('an event', () => {
  test('is returned with all its fields', async () => {
    const target = invoice(newId())
    const [user] = await host.database.read((db) =>
      db.execute<{ id: string }>(sql`select id from core_audit.users where subject = 'auditor'`),
    )
    await record(
      host,
      event({
        target,
        actorUserId: user?.id ?? null,
        correlationId: 'r-1',
        metadata: { attachmentId: 'a-1', sizeBytes: 3 },
        changes: [{ fieldPath: 'text', oldValue: null, newValue: 'a\nb' }],
      }),
    )
    expect(await page(auditor, target)).toEqual({
      items: [
        {
          id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
          target,
          actionCode: 'things.changed',
          occurredAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          actor: { userId: user?.id, displayName: 'auditor', email: 'auditor@example.com' },
          correlationId: 'r-1',
          metadata: { attachmentId: 'a-1', sizeBytes: 3 },
          changes: [{ fieldPath: 'text', oldValue: null, newValue: 'a\nb' }],
          download: { attachmentId: 'a-1' },
        },
      ],
      references: { [user?.id ?? '']: { display: 'auditor', target: null } },
      nextCursor: null,
    })
  })

  test('written by the service itself has no actor', async () => {
    const target = invoice(newId())
    await record(host, event({ target }))
    expect((await page(auditor, target)).items).toMatchObject([
      { actor: null, correlationId: null, metadata: null, changes: [], download: null },
    ])
  })

  test('of an actor without a user record has the actor’s id and an empty name', async () => {
    const [target, actorUserId] = [invoice(newId()), newId()]
    await record(host, event({ target, actorUserId }))
    expect((await page(auditor, target)).items).toMatchObject([
      { actor: { userId: actorUserId, displayName: '', email: null } },
    ])
  })

  test('is listed before all older events', async () => {
    const target = invoice(newId())
    for (const actionCode of ['first', 'second', 'third']) await record(host, event({ target, actionCode }))
    expect(codes(await page(auditor, target))).toEqual(['third', 'second', 'first'])
  })

  test('appears only in the timeline of its own object', async () => {
    const id = newId()
    const order = { ...invoice(id), typeCode: 'trade.sales_order' }
    await record(
      host,
      event({ target: invoice(id), actionCode: 'invoiced' }),
      event({ target: order, actionCode: 'ordered' }),
    )
    expect(codes(await page(auditor, invoice(id)))).toEqual(['invoiced'])
    expect(codes(await page(auditor, order))).toEqual(['ordered'])
    expect(codes(await page(auditor, item(id)))).toEqual([])
  })

  test('is found by its object’s id in upper or lower case', async () => {
    const target = invoice(newId())
    await record(host, event({ target }))
    expect((await page(auditor, { ...target, id: target.id.toUpperCase() })).items).toMatchObject([
      { target },
    ])
  })
})

describe('the events of a module', () => {
  test('that the caller is not allowed to see are excluded before paging', async () => {
    const target = invoice(newId())
    for (let count = 0; count < 5; count += 1) {
      await record(
        host,
        event({ target, actionCode: `seen_${count}` }),
        event({ target, module: 'secrets', actionCode: `unseen_${count}` }),
      )
    }
    const first = await page(auditor, target, { limit: '3' })
    expect(codes(first)).toEqual(['seen_4', 'seen_3', 'seen_2'])
    const second = await page(auditor, target, { limit: '3', cursor: first.nextCursor ?? '' })
    expect(codes(second)).toEqual(['seen_1', 'seen_0'])
    expect(second.nextCursor).toBeNull()
    expect(codes(await page(insider, target))).toHaveLength(10)
  })

  test('whose feature is off are hidden from every caller', async () => {
    const target = invoice(newId())
    await record(host, event({ target, module: 'off' }))
    const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
    for (const request of [insider, root]) expect((await page(request, target)).items).toEqual([])
  })

  test('that is not registered are hidden from every caller', async () => {
    const target = invoice(newId())
    await record(host, event({ target, module: 'gone' }))
    expect((await page(insider, target)).items).toEqual([])
    const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
    expect((await page(root, target)).items).toEqual([])
  })
})

test('auditTimeline throws if two sources have the same module name', () => {
  const modules = modulesOf([...sources, { module: 'secrets', isVisibleTo: () => true }])
  expect(() => auditTimeline({ database: host.database, businessObjects, modules })).toThrow(TypeError)
})

describe('a timeline request', () => {
  const target = invoice(newId())

  test.each(['1', '100'])('accepts a limit of %s events', async (limit) => {
    expect((await ask(auditor, target, { limit })).status).toBe(200)
  })

  test.each(['0', '101', '-1', 'x', '1.5'])('rejects a limit of %j events', async (limit) => {
    expect(await refusal(auditor, target, { limit })).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'limit' }],
    })
  })

  test('without a limit returns at most 50 events', async () => {
    const busy = invoice(newId())
    await record(host, ...Array.from({ length: 51 }, () => event({ target: busy })))
    expect((await page(auditor, busy)).items).toHaveLength(50)
  })

  test('keeps the events that match all filters, on every page', async () => {
    const target = invoice(newId())
    const [own, other] = [newId(), newId()]
    for (const actionCode of ['things.first', 'things.second', 'things.third']) {
      await record(host, ...[own, other].map((actorUserId) => event({ target, actorUserId, actionCode })))
    }
    const past = '2020-01-01T00:00:00.000Z'
    expect((await page(auditor, target, { fromUtc: past })).items).toHaveLength(6)
    expect((await page(auditor, target, { untilUtc: past })).items).toEqual([])
    const first = await page(auditor, target, { actor: own, limit: '2' })
    expect(codes(first)).toEqual(['things.third', 'things.second'])
    const cursor = first.nextCursor ?? ''
    expect(await page(auditor, target, { actor: own, limit: '2', cursor })).toMatchObject({
      items: [{ actionCode: 'things.first' }],
      nextCursor: null,
    })
    expect((await ask(auditor, target, { actor: other, cursor })).status).toBe(400)
  })

  test('without a target returns an error for each missing field', async () => {
    const response = await auditor('GET', '/api/audit/events')
    expect(await response.json()).toMatchObject({
      code: 'request.invalid',
      errors: [
        { path: 'kind', message: 'is required' },
        { path: 'typeCode', message: 'is required' },
        { path: 'objectId', message: 'is required' },
      ],
    })
  })

  test('rejects a malformed object id', async () => {
    expect(await refusal(auditor, { ...target, id: 'x' })).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'objectId', message: 'expected a UUID' }],
    })
  })

  test('without a caller returns 401 with a Bearer challenge', async () => {
    const response = await host.app.request('/api/audit/events')
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
  })
})
