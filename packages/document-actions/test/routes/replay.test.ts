import { newId, sql } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Sends a literal body. */
const send = (document: StoredDocument, action: string, { key, body }: { key: string; body: string }) =>
  clerk('POST', `/api/documents/${document.typeCode}/${document.id}/actions/${action}`, {
    headers: { 'Idempotency-Key': key },
    body,
  })

const isReplay = (response: Response) => response.headers.get('Idempotent-Replayed') === 'true'

test('200: a repeat returns identical bytes with the replay header and changes nothing', async () => {
  const invoice = await host.addDocument()
  const key = newId()
  const first = await execute(clerk, invoice, 'post', { key })
  expect([first.status, isReplay(first)]).toEqual([200, false])
  const after = await everyRow(host.database)
  const bytes = await first.text()
  for (const _ of [1, 2]) {
    const repeat = await execute(clerk, invoice, 'post', { key })
    expect([repeat.status, isReplay(repeat)]).toEqual([200, true])
    expect(repeat.headers.get('cache-control')).toBe('no-store')
    expect(await repeat.text()).toBe(bytes)
  }
  expect(await everyRow(host.database)).toEqual(after)
})

test('a repeat is a replay whatever text format of bytes the database has set', async () => {
  const own = await openShopHost()
  onTestFinished(() => own.close())
  const [database] = await own.database.read((db) =>
    db.execute<{ name: string }>(sql`select quote_ident(current_database()) as name`),
  )
  await own.database.statement((tx) =>
    tx.execute(sql.raw(`alter database ${database?.name} set bytea_output = 'escape'`)),
  )
  // Opens new connections, which have the setting.
  const replica = await openShopHost({ databaseUrl: own.databaseUrl })
  onTestFinished(() => replica.close())
  const caller = await replica.as({ subject: 'clerk', permissions: allPermissions })
  const invoice = await own.addDocument()
  const key = newId()
  const first = await executed(caller, invoice, 'post', { key })
  const repeat = await execute(caller, invoice, 'post', { key })
  expect([repeat.status, isReplay(repeat), await repeat.json()]).toEqual([200, true, first])
})

test('property order, white space and number notation do not change the request', async () => {
  const invoice = await host.addDocument()
  const key = newId()
  const body = '{"expectedVersion":1,"payload":{"title":"Ä"},"reason":"Because."}'
  const first = await (await send(invoice, 'shop.rename', { key, body })).text()
  const same = String.raw`{ "reason":"Because.",
    "payload" : { "title" : "\u00c4" }, "expectedVersion": 1.0e0 }`
  const repeat = await send(invoice, 'shop.rename', { key, body: same })
  expect([repeat.status, isReplay(repeat)]).toEqual([200, true])
  expect(await repeat.text()).toBe(first)
})

test('a repeat returns its stored result even after later changes to the document', async () => {
  const invoice = await host.addDocument()
  const key = newId()
  const first = await executed(clerk, invoice, 'post', { key })
  await executed(clerk, invoice, 'unpost', { expectedVersion: 2 })
  await executed(clerk, invoice, 'mark_for_deletion', { expectedVersion: 3 })
  const repeat = await execute(clerk, invoice, 'post', { key })
  expect(isReplay(repeat)).toBe(true)
  expect(await repeat.json()).toEqual(first)
})

test('a repeated derivation creates no second document', async () => {
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  const more = { expectedVersion: 2, key: newId() }
  const first = await executed(clerk, order, 'shop.create_invoice', more)
  const after = await everyRow(host.database)
  expect(await executed(clerk, order, 'shop.create_invoice', more)).toEqual(first)
  expect(await everyRow(host.database)).toEqual(after)
})

describe('a request with a used key receives 422', () => {
  const body = '{"expectedVersion":1,"payload":{"title":"A"}}'
  const others: readonly (readonly [what: string, action: string, body: string])[] = [
    ['another payload', 'shop.rename', '{"expectedVersion":1,"payload":{"title":"B"}}'],
    ['another version', 'shop.rename', '{"expectedVersion":2,"payload":{"title":"A"}}'],
    ['a reason', 'shop.rename', '{"expectedVersion":1,"payload":{"title":"A"},"reason":"x"}'],
    ['a reason that is null', 'shop.rename', '{"expectedVersion":1,"payload":{"title":"A"},"reason":null}'],
    ['an ignored property', 'shop.rename', '{"expectedVersion":1,"payload":{"title":"A"},"x":1}'],
    ['an invalid payload', 'shop.rename', '{"expectedVersion":1,"payload":{"title":7}}'],
    ['a property named constructor', 'shop.rename', body.replace('}}', '},"constructor":5}')],
    ['a property named __proto__', 'shop.rename', body.replace('}}', '},"__proto__":{}}')],
    ['another action', 'post', body],
  ]

  test.each(others)('if it has %s', async (_what, action, other) => {
    const invoice = await host.addDocument()
    const key = newId()
    expect((await send(invoice, 'shop.rename', { key, body })).status).toBe(200)
    const after = await everyRow(host.database)
    const response = await send(invoice, action, { key, body: other })
    expect(isReplay(response)).toBe(false)
    expect(await refusalOf(response)).toEqual({
      type: 'urn:vertical-kit:problem:document_action.idempotency_conflict',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'This Idempotency-Key was already used for a different request.',
      code: 'document_action.idempotency_conflict',
    })
    expect(await everyRow(host.database)).toEqual(after)
    // The client can still repeat the first request.
    expect(isReplay(await send(invoice, 'shop.rename', { key, body }))).toBe(true)
  })

  test.each(['shop.invoice', 'shop.order'])('if it is for another document of type %s', async (typeCode) => {
    const key = newId()
    await executed(clerk, await host.addDocument(), 'post', { key })
    const response = await execute(clerk, await host.addDocument(typeCode), 'post', { key })
    expect(await refusalOf(response)).toMatchObject({ code: 'document_action.idempotency_conflict' })
  })
})

test.each<[what: string, action: string, more: object, code: string]>([
  ['a stale version', 'post', { expectedVersion: 9 }, 'documents.version_conflict'],
  ['an unavailable action', 'unpost', {}, 'document_action.unavailable'],
  ['an invalid payload', 'shop.rename', { payload: {} }, 'request.invalid'],
  ['a missing reason', 'shop.write_off', {}, 'document_action.reason_required'],
])('the key of a refused request with %s can be used again', async (_what, action, more, code) => {
  const invoice = await host.addDocument()
  const key = newId()
  expect(await refusalOf(await execute(clerk, invoice, action, { key, ...more }))).toMatchObject({ code })
  const response = await execute(clerk, invoice, 'post', { key })
  expect([response.status, isReplay(response)]).toEqual([200, false])
})
