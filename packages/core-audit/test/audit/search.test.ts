import { newId } from '@vertical-kit/core-audit'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import { refusalOf, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeAll, describe, expect, test } from 'vitest'
import { event } from './events.ts'
import {
  customerOf,
  customerType,
  type NamedHost,
  openNamedHost,
  orderOf,
  orderType,
  pageAt,
  readsAll,
} from './named-host.ts'

let host: NamedHost
let auditor: TestRequest
beforeAll(async () => {
  host = await openNamedHost()
  auditor = await host.as({ subject: 'auditor', permissions: readsAll })
  return () => host.close()
})

type Query = Readonly<Record<string, string>>

const search = (request: TestRequest, query: Query = {}) => pageAt(request, '/api/audit/search', query)
const codes = ({ items }: AuditEventPage) => items.map(({ actionCode }) => actionCode)

/** Searches all pages for events of one actor. Each test has its own actor. */
async function all(request: TestRequest, query: Query): Promise<readonly string[]> {
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: AuditEventPage = await search(request, { ...query, ...(cursor === '' ? {} : { cursor }) })
    seen.push(...codes(page))
    cursor = page.nextCursor
  }
  return seen
}

describe('a search', () => {
  test('finds the events of all objects, newest first, on any number of pages', async () => {
    const actorUserId = newId()
    const orders = [
      orderOf(await host.addObject(orderType, 'Order 1')),
      customerOf(await host.addObject(customerType, 'Adler & Co')),
    ]
    for (let index = 0; index < 7; index += 1) {
      await host.record(
        event({ target: orders[index % 2] ?? {}, actorUserId, actionCode: `e${index}` } as never),
      )
    }
    const expected = ['e6', 'e5', 'e4', 'e3', 'e2', 'e1', 'e0']
    for (const limit of ['1', '3', '7', '100'])
      expect(await all(auditor, { actor: actorUserId, limit })).toEqual(expected)
    const { references } = await search(auditor, { actor: actorUserId })
    expect(Object.values(references).map(({ display }) => display)).toEqual(
      expect.arrayContaining(['Order 1', 'Adler & Co']),
    )
  })

  test('names the objects of events that it finds behind 20,000 others', async () => {
    const actorUserId = newId()
    const names = ['Adler & Co', 'Blum']
    const [first, second] = await Promise.all(names.map((name) => host.addObject(customerType, name)))
    const found = (id = '') => event({ target: customerOf(id), actorUserId, actionCode: 'found' } as never)
    const other = event({ target: customerOf(newId()), actorUserId, actionCode: 'other' } as never)
    await host.record(found(first))
    for (let part = 0; part < 11; part += 1) await host.record(...Array.from({ length: 2_000 }, () => other))
    await host.record(found(second))
    const page = await search(auditor, { actor: actorUserId, actionCode: 'found' })
    expect(page.items).toHaveLength(2)
    expect(
      Object.values(page.references)
        .map(({ display }) => display)
        .toSorted(),
    ).toEqual(names)
  })

  test('requires system.audit.view', async () => {
    const clerk = await host.as({ subject: 'clerk', permissions: [`document.${orderType}.view_audit`] })
    const response = await clerk('GET', '/api/audit/search')
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ context: { permission: 'system.audit.view' } })
  })

  test('hides events of objects that the caller may not read, but shows those of deleted objects', async () => {
    const actorUserId = newId()
    const [open, secret] = [
      await host.addObject(orderType, 'Order 1'),
      await host.addObject(orderType, 'Secret order'),
    ]
    const customer = await host.addObject(customerType, 'Adler & Co')
    await host.record(
      event({ actorUserId, target: orderOf(open), actionCode: 'open' }),
      event({ actorUserId, target: orderOf(secret), actionCode: 'secret' }),
      event({
        actorUserId,
        target: orderOf(newId()),
        actionCode: 'deleted',
        metadata: { attachmentId: 'a' },
      }),
      event({ actorUserId, target: customerOf(customer), actionCode: 'customer' }),
      event({
        actorUserId,
        target: { kind: 'Document', typeCode: 'trade.gone', id: open },
        actionCode: 'gone',
      }),
      event({ actorUserId, target: orderOf(open), module: 'secrets', actionCode: 'of a hidden module' }),
    )
    const page = await search(auditor, { actor: actorUserId })
    expect(codes(page)).toEqual(['customer', 'deleted', 'open'])
    expect(page.items[1]?.download).toBeNull()
    const narrow = await host.as({
      subject: 'narrow',
      permissions: ['system.audit.view', `document.${orderType}.view`],
    })
    expect(codes(await search(narrow, { actor: actorUserId }))).toEqual(['deleted', 'open'])
  })

  test('of a caller who may read no object shows events of deleted objects, and nothing of existing ones', async () => {
    const [actorUserId, deletedId] = [newId(), newId()]
    const customer = await host.addObject(customerType, 'Adler & Co')
    const existing = [orderOf(await host.addObject(orderType, 'Order 1')), customerOf(customer)]
    const changes = [{ fieldPath: 'fields.customerId', oldValue: null, newValue: customer }]
    await host.record(
      event({ actorUserId, target: orderOf(deletedId), actionCode: 'order', changes }),
      ...existing.map((target) => event({ actorUserId, target, actionCode: 'existing' })),
      event({ actorUserId, target: customerOf(newId()), actionCode: 'customer' }),
    )
    const request = await host.as({ subject: 'blind', permissions: ['system.audit.view'] })
    const page = await search(request, { actor: actorUserId })
    expect(codes(page)).toEqual(['customer', 'order'])
    expect(page).toMatchObject({ references: {}, nextCursor: null })
    const timeline = { kind: 'Document', typeCode: orderType, objectId: deletedId }
    expect((await pageAt(request, '/api/audit/events', timeline)).items).toEqual([page.items[1]])
  })

  test('finds changes of roles, users, outbox events and partitions with their names in the API', async () => {
    const userId = await host.userId('auditor')
    const [actorUserId, other] = [newId(), newId()]
    const core = { module: 'core-audit', actorUserId }
    await host.record(
      event({ ...core, target: { kind: 'User', typeCode: 'system.user', id: userId }, actionCode: 'user' }),
      event({ ...core, target: { kind: 'Role', typeCode: 'system.role', id: other }, actionCode: 'role' }),
      event({
        ...core,
        target: { kind: 'OutboxEvent', typeCode: 'posted', id: other },
        actionCode: 'outbox.retried',
      }),
    )
    const found = await search(auditor, { actor: actorUserId })
    expect(found.items.map(({ target }) => target)).toEqual([
      { kind: 'Security', typeCode: 'outbox.event', id: other },
      { kind: 'Security', typeCode: 'security.role', id: other },
      { kind: 'Security', typeCode: 'security.user', id: userId },
    ])
    expect(found.references[userId]).toEqual({ display: 'auditor', target: null })
    for (const [typeCode, code] of [
      ['security.user', 'user'],
      ['security.role', 'role'],
      ['outbox.event', 'outbox.retried'],
    ] as const)
      expect(codes(await search(auditor, { actor: actorUserId, typeCode }))).toEqual([code])
  })

  test('combines its filters; an empty filter counts as absent', async () => {
    const [actor, typeCode, id] = [newId(), orderType, await host.addObject(orderType, 'Order 1')]
    const customer = await host.addObject(customerType, 'Adler & Co')
    await host.record(
      event({ actorUserId: actor, target: orderOf(id), actionCode: 'posted' }),
      event({ actorUserId: actor, target: orderOf(id), actionCode: 'changed' }),
      event({ actorUserId: actor, target: customerOf(customer), actionCode: 'changed' }),
    )
    expect(codes(await search(auditor, { actor, actionCode: 'changed' }))).toHaveLength(2)
    expect(codes(await search(auditor, { actor, actionCode: 'changed', typeCode }))).toHaveLength(1)
    expect(codes(await search(auditor, { actor, actionCode: '', typeCode: '', fromUtc: '' }))).toHaveLength(3)
    expect(codes(await search(auditor, { actor: newId() }))).toEqual([])
  })

  test('finds exactly the events of a time range, however close to its bounds', async () => {
    const [actor, target] = [newId(), orderOf(await host.addObject(orderType, 'Order 1'))]
    for (const actionCode of ['a', 'b', 'c', 'd'])
      await host.record(event({ target, actorUserId: actor, actionCode }))
    const { items } = await search(auditor, { actor })
    for (const { occurredAtUtc } of items) {
      const from = await search(auditor, { actor, fromUtc: occurredAtUtc })
      const until = await search(auditor, { actor, untilUtc: occurredAtUtc })
      expect(codes(from)).toEqual(
        codes({ ...from, items: items.filter((one) => one.occurredAtUtc >= occurredAtUtc) }),
      )
      expect([...codes(from), ...codes(until)]).toEqual(codes({ ...from, items }))
    }
  })

  test('finds an event in exactly one of two adjacent ranges, also if its id is ahead of its time', async () => {
    const [actor, target] = [newId(), await host.addObject(orderType, 'Order 1')]
    // `uuidv7()` always ascends in a session, also after the clock went back.
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.audit_events
          (id, module, target_kind, target_type_code, target_id, action_code, actor_user_id, occurred_at)
        values (core_audit.first_event_id('2026-03-02T00:00:00.3Z'), 'things', 'Document', ${orderType}, ${target}::uuid,
          'early', ${actor}::uuid, '2026-03-01T23:59:59.8Z')`),
    )
    const [before, midnight, after] = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z']
    const days = [
      { fromUtc: before, untilUtc: midnight },
      { fromUtc: midnight, untilUtc: after },
    ]
    const found = await Promise.all(days.map((day) => search(auditor, { actor, ...day })))
    expect(found.map(codes)).toEqual([['early'], []])
  })

  test.each([
    ['actor', 'x'],
    ['fromUtc', '2026-01-01'],
    ['fromUtc', '2026-01-01T00:00:00+01:00'],
    ['untilUtc', '2026-02-31T00:00:00Z'],
    ['actionCode', '\0'],
    ['limit', '101'],
  ])('with %s=%j is invalid', async (name, value) => {
    const response = await auditor('GET', `/api/audit/search?${new URLSearchParams({ [name]: value })}`)
    expect(await refusalOf(response)).toMatchObject({ code: 'request.invalid', errors: [{ path: name }] })
  })

  test('rejects the cursor of a search with other filters', async () => {
    const actor = newId()
    const target = orderOf(await host.addObject(orderType, 'Order 1'))
    await host.record(event({ target, actorUserId: actor }), event({ target, actorUserId: actor }))
    const { nextCursor } = await search(auditor, { actor, limit: '1' })
    const response = await auditor('GET', `/api/audit/search?cursor=${nextCursor}`)
    expect(await refusalOf(response)).toMatchObject({ errors: [{ path: 'cursor' }] })
  })

  test('searches only the partitions of its time range', async () => {
    await search(auditor)
    const partitionsOf = async (query: Query) => {
      host.statements.reset()
      await search(auditor, { actor: newId(), ...query })
      const plan = await host.database.read((db) =>
        db.execute<{ 'QUERY PLAN': string }>(sql`explain ${host.statements.statements[0] ?? sql``}`),
      )
      return new Set(
        plan.flatMap((row) => /audit_events_(\w*20\d\d)/.exec(row['QUERY PLAN'])?.[1]?.slice(0, 11) ?? []),
      ).size
    }
    const year = new Date().getUTCFullYear()
    expect(await partitionsOf({})).toBeGreaterThan(1)
    expect(
      await partitionsOf({ fromUtc: `${year}-03-01T00:00:00Z`, untilUtc: `${year}-04-01T00:00:00Z` }),
    ).toBe(1)
  })
})
