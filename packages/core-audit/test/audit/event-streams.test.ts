import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { listen } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { deactivateUser, removePermission, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { answerEvents, type EventPages } from '../../src/audit/stream-events.ts'
import { event } from './events.ts'
import { type NamedHost, openNamedHost, orderOf, orderType, readsAll } from './named-host.ts'

let host: NamedHost
let reader: TestRequest
beforeAll(async () => {
  // With one connection, a stream that holds it would stop every other request.
  host = await openNamedHost({ poolMax: 1 })
  reader = await host.as({ subject: 'reader', name: 'Rita', permissions: readsAll })
  return () => host.close()
})

const addOrder = async (name = 'Order 1') => orderOf(await host.addObject(orderType, name))

const change = (fieldPath: string, oldValue: unknown, newValue: unknown) => ({
  fieldPath,
  oldValue,
  newValue,
})

const timelineOf = ({ kind, typeCode, id }: ReturnType<typeof orderOf>) =>
  `/api/audit/events?${new URLSearchParams({ kind, typeCode, objectId: id })}`

const stream = (request: TestRequest, path: string, accept = 'application/x-ndjson') =>
  request('GET', path, { headers: { Accept: accept } })

const linesOf = (text: string) => text.trimEnd().split('\n')

/** Records events with one change each, in the order of their numbers. */
async function recordNumbered(target: ReturnType<typeof orderOf>, count: number, actorUserId = newId()) {
  const events = Array.from({ length: count }, (_, n) =>
    event({ target, actorUserId, changes: [change('n', null, n)] }),
  )
  await host.record(...events)
  return actorUserId
}

const numbers = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).newValue as number)
const descending = (count: number) => Array.from({ length: count }, (_, n) => count - 1 - n)

describe('an export', () => {
  test('as CSV has one line for each change, and neutral cells', async () => {
    const target = await addOrder('=Order "1"')
    const actorUserId = await host.userId('reader')
    await host.record(
      event({ target, actionCode: 'created' }),
      event({
        ...{ target, actorUserId, actionCode: 'changed' },
        changes: [change('fields.text', null, '-2+3\nnext'), change('fields.lines', 1, [{ a: '=1' }])],
      }),
    )
    const response = await stream(reader, timelineOf(target), 'text/csv')
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
    expect(response.headers.get('Content-Disposition')).toBe(
      `attachment; filename="audit-${orderType}-${target.id}.csv"`,
    )
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Vary')).toBe('Accept')
    const text = (await response.text())
      .replaceAll(target.id, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'AT')
    expect(text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'EVENT')).toBe(
      'occurredAtUtc,actor,actionCode,typeCode,objectId,display,fieldPath,oldValue,newValue,eventId\r\n' +
        `AT,Rita,changed,trade.order,ID,"'=Order ""1""",fields.text,,"'-2+3\nnext",EVENT\r\n` +
        `AT,Rita,changed,trade.order,ID,"'=Order ""1""",fields.lines,1,"[{""a"":""=1""}]",EVENT\r\n` +
        `AT,,created,trade.order,ID,"'=Order ""1""",,,,EVENT\r\n`,
    )
  })

  test('as NDJSON has the same columns with their JSON values', async () => {
    const target = await addOrder()
    await host.record(event({ target, changes: [change('lines', null, [1, { a: null }])] }))
    const response = await stream(reader, timelineOf(target))
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8')
    const [line = '', ...more] = linesOf(await response.text())
    expect(more).toEqual([])
    expect(JSON.parse(line)).toEqual({
      occurredAtUtc: expect.stringMatching(/Z$/),
      actor: null,
      actionCode: 'things.changed',
      typeCode: orderType,
      objectId: target.id,
      display: 'Order 1',
      fieldPath: 'lines',
      oldValue: null,
      newValue: [1, { a: null }],
      eventId: expect.stringMatching(/^[\da-f-]{36}$/),
    })
  })

  test('contains every event of all pages once, newest first, and none that was written after its start', async () => {
    const target = await addOrder()
    const actor = await recordNumbered(target, 250)
    for (const path of [timelineOf(target), `/api/audit/search?actor=${actor}`]) {
      const response = await stream(reader, path)
      const body = response.body?.pipeThrough(new TextDecoderStream())
      let text = ''
      for await (const chunk of body ?? []) {
        text += chunk
        await host.record(event({ target, actorUserId: actor, changes: [change('n', null, -1)] }))
      }
      expect(numbers(linesOf(text)).filter((n) => n >= 0)).toEqual(descending(250))
    }
    expect(numbers(linesOf(await (await stream(reader, timelineOf(target))).text())).slice(0, 2)).toEqual([
      -1, -1,
    ])
  })

  test('of a search without events has only the header', async () => {
    const response = await stream(reader, `/api/audit/search?actor=${newId()}`, 'text/csv')
    expect(linesOf(await response.text())).toHaveLength(1)
    expect(response.headers.get('Content-Disposition')).toMatch(/filename="audit-\d{4}-\d\d-\d\d\.csv"/)
  })

  test.each([
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['text/csv, */*;q=0.1', 'text/csv'],
    ['application/json, text/csv;q=0.9', 'application/json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['*/*', 'application/json'],
    ['text/plain', 'application/json'],
    ['', 'application/json'],
  ])('is chosen by the header Accept: %s', async (accept, expected) => {
    const target = await addOrder()
    await host.record(event({ target }))
    const response = await stream(reader, timelineOf(target), accept)
    expect(response.headers.get('Content-Type')?.split(';', 1)[0]).toBe(expected)
    await response.text()
  })

  test('is refused like a page, with problem details', async () => {
    const visitor = await host.as({ subject: 'visitor', permissions: [`document.${orderType}.view`] })
    for (const [request, path, status] of [
      [visitor, timelineOf(await addOrder()), 403],
      [visitor, '/api/audit/search', 403],
      [reader, timelineOf(orderOf(newId())), 404],
      [reader, '/api/audit/search?cursor=x', 400],
    ] as const) {
      const response = await stream(request, path, 'text/csv')
      expect(response.status).toBe(status)
      expect(response.headers.get('Content-Type')).toBe('application/problem+json')
      expect(response.headers.get('Content-Disposition')).toBeNull()
    }
  })
})

describe('a stream', () => {
  test('reads a page only when the client asks for it, and holds no connection until then', async () => {
    const target = await addOrder()
    await recordNumbered(target, 350)
    const response = await stream(reader, timelineOf(target))
    const chunks = (response.body as ReadableStream<Uint8Array>).getReader()
    await chunks.read()
    host.statements.reset()
    expect(host.database.load.runningCount).toBe(0)
    // These requests need the only connection.
    for (let count = 0; count < 3; count += 1)
      expect((await reader('GET', '/api/security/me/access')).status).toBe(200)
    expect(host.statements.count).toBe(0)
    await chunks.read()
    const perPage = host.statements.count
    expect(perPage).toBeGreaterThan(0)
    await chunks.read()
    expect(host.statements.count).toBe(2 * perPage)
    await chunks.cancel()
    expect(host.statements.count).toBe(2 * perPage)
  })

  describe('over a connection', () => {
    const target = orderOf(newId())
    beforeAll(async () => {
      // The first page does not fit into the buffers between the server and the client.
      await host.database.transaction(async (tx) => {
        await tx.execute(sql`insert into public.objects values (${target.id}::uuid, ${orderType}, 'Order 1')`)
        await tx.execute(sql`
          insert into core_audit.audit_events (module, target_kind, target_type_code, target_id, action_code, changes)
          select 'things', 'Document', ${orderType}, ${target.id}::uuid, 'changed',
            jsonb_build_array(jsonb_build_object('fieldPath', 'n', 'oldValue', repeat('x', 200000), 'newValue', n))
          from generate_series(1, 120) n`)
      })
    })

    /** Starts an export as a new user, calls `change` after its first bytes, and reads the rest. */
    async function readDuring(change: (tx: Tx, subject: string) => Promise<void>) {
      const subject = newId()
      const request = await host.as({ subject, permissions: [...readsAll, 'system.secrets.read'] })
      const server = await listen(host.app, { host: '127.0.0.1', port: 0 })
      onTestFinished(() => server.close(0))
      const Authorization = await (await request('GET', '/api/token')).text()
      const response = await fetch(server.url + timelineOf(target), {
        headers: { Accept: 'application/x-ndjson', Authorization },
      })
      expect(response.status).toBe(200)
      let text = ''
      try {
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          if (text === '') await host.database.transaction((tx) => change(tx, subject))
          text += chunk
        }
        return { text, isComplete: true }
      } catch {
        return { text, isComplete: false }
      }
    }

    test('ends normally after its last page', async () => {
      const { text, isComplete } = await readDuring(async () => {})
      expect(isComplete).toBe(true)
      expect(numbers(linesOf(text))).toEqual(descending(121).slice(0, -1))
    })

    test.each<[string, (tx: Tx, subject: string) => Promise<void>]>([
      ['the caller is deactivated', deactivateUser],
      [
        'the permission to export is revoked',
        (tx, subject) => removePermission(tx, subject, 'system.audit.view'),
      ],
      [
        'the permission to view the object is revoked',
        (tx, subject) => removePermission(tx, subject, `document.${orderType}.view`),
      ],
      [
        'the permission to see a module is revoked',
        (tx, subject) => removePermission(tx, subject, 'system.secrets.read'),
      ],
    ])('breaks off without an end if %s', async (_case, revoke) => {
      const { text, isComplete } = await readDuring(revoke)
      expect(isComplete).toBe(false)
      expect(linesOf(text).length).toBeLessThanOrEqual(100)
      expect(text).not.toContain('Error')
    })
  })
})

test('an export that finds nothing stops reading when the client leaves', async () => {
  let pageCount = 0
  const pages: EventPages = {
    database: host.database,
    fileName: 'none',
    paging: { limit: 100, cursor: null },
    async readPage() {
      pageCount += 1
      return { page: { items: [], references: {}, nextCursor: String(pageCount) }, rights: [] }
    },
  }
  const app = new Hono<KitEnv>().get('/', (c) => {
    c.set('callerNow', async () => c.get('caller'))
    return answerEvents(c, pages)
  })
  const response = await app.request('/', { headers: { Accept: 'application/x-ndjson' } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const reading = reader.read()
  await reader.cancel()
  await reading
  const countAtEnd = pageCount
  await host.database.read((db) => db.execute(sql`select 1`))
  expect(pageCount).toBe(countAtEnd)
})
