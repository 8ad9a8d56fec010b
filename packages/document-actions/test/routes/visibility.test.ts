import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allBut, allPermissions, executed, openShopHost, type ShopHost } from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Returns the complete client view of an answer. */
async function seen(response: Response) {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly key?: string | null
  readonly body?: unknown
}

/** Sends all requests with one request id, so complete answers can be compared. */
async function send(request: TestRequest, path: string, sent: Sent = {}) {
  const { method = 'POST', key = 'key', body = { expectedVersion: 1, reason: 'Because.' } } = sent
  return seen(
    await request(method, `/api/documents/${path}`, {
      headers: { 'X-Request-Id': 'the-same', ...(key === null ? {} : { 'Idempotency-Key': key }) },
      ...(method === 'GET' ? {} : { body }),
    }),
  )
}

const routes: readonly (readonly [route: string, sent: Sent])[] = [
  ['editor-state', { method: 'GET' }],
  ['effects', { method: 'GET' }],
  ['actions/post', {}],
  ['actions/shop.write_off', {}],
  ['post', {}],
  ['unpost', {}],
  ['repost', {}],
  ['mark-for-deletion', {}],
  ['unmark-for-deletion', {}],
]

const notFound = {
  type: 'urn:vertical-kit:problem:documents.not_found',
  title: 'Not Found',
  status: 404,
  detail: 'The document does not exist or is not visible to you.',
  code: 'documents.not_found',
  requestId: 'the-same',
}

describe.each(routes)('%s', (route, sent) => {
  test('returns equal answers for hidden documents, unknown ids, other types and malformed ids', async () => {
    const secret = await host.addDocument('shop.invoice', { amount: '1.00', isSecret: true })
    const order = await host.addDocument('shop.order')
    const { id } = await host.addDocument()
    const before = await everyRow(host.database)
    const never = await send(clerk, `shop.invoice/${newId()}/${route}`, sent)
    expect(never.status).toBe(404)
    expect(JSON.parse(never.body)).toEqual(notFound)

    const ids = [
      secret.id,
      secret.id.toUpperCase(),
      order.id,
      'not-a-uuid',
      '%00',
      '%ff',
      `{${id}}`,
      `${id}0`,
    ]
    for (const other of [...ids, `%20${id}`, id.replaceAll('-', '')]) {
      expect(await send(clerk, `shop.invoice/${other}/${route}`, sent)).toEqual(never)
    }
    for (const type of ['shop.nothing', 'Shop.Invoice', 'shop', '__proto__', 'constructor']) {
      expect(await send(clerk, `${type}/${id}/${route}`, sent)).toEqual(never)
    }
    expect(await everyRow(host.database)).toEqual(before)
  })

  test('returns the answer of an unknown document to callers without the view permission', async () => {
    const blind = await host.as({ subject: `blind-${route}`, permissions: allBut('view') })
    const { id } = await host.addDocument()
    const never = await send(clerk, `shop.invoice/${newId()}/${route}`, sent)
    expect(await send(blind, `shop.invoice/${id}/${route}`, sent)).toEqual(never)
    expect(await send(blind, `shop.nothing/${id}/${route}`, sent)).toEqual(never)
  })

  test('returns the answer of an unknown document for hidden documents, even to administrators', async () => {
    const administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
    const secret = await host.addDocument('shop.invoice', { isSecret: true })
    const never = await send(administrator, `shop.invoice/${newId()}/${route}`, sent)
    expect(await send(administrator, `shop.invoice/${secret.id}/${route}`, sent)).toEqual(never)
  })
})

test.each<[what: string, route: string, sent: Sent]>([
  ['no key', 'actions/post', { key: null }],
  ['an invalid key', 'actions/post', { key: 'a b' }],
  ['an unknown action', 'actions/shop.nothing', {}],
  ['an action that only opens a page', 'actions/shop.open_customer', {}],
  ['no body', 'actions/post', { body: '' }],
  ['an invalid body', 'actions/post', { body: {} }],
  ['another version', 'actions/post', { body: { expectedVersion: 7 } }],
  ['an unavailable step', 'actions/unpost', {}],
  ['no reason', 'actions/shop.write_off', { body: { expectedVersion: 1 } }],
  ['an invalid payload', 'actions/shop.rename', { body: { expectedVersion: 1, payload: 7 } }],
])('with %s, hidden and unknown documents have the same answer', async (_what, route, sent) => {
  const secret = await host.addDocument('shop.invoice', { isSecret: true })
  const never = await send(clerk, `shop.invoice/${newId()}/${route}`, sent)
  expect(await send(clerk, `shop.invoice/${secret.id}/${route}`, sent)).toEqual(never)
})

test('a request without permission receives equal answers for hidden and unknown documents', async () => {
  const other = await host.as({ subject: 'no-posting', permissions: allBut('post') })
  const secret = await host.addDocument('shop.invoice', { isSecret: true })
  const never = await send(other, `shop.invoice/${newId()}/actions/post`)
  expect(never.status).toBe(404)
  expect(await send(other, `shop.invoice/${secret.id}/actions/post`)).toEqual(never)
})

test('a request with a used key receives equal answers for hidden and unknown documents', async () => {
  const [used, secret] = [
    await host.addDocument(),
    await host.addDocument('shop.invoice', { isSecret: true }),
  ]
  await executed(clerk, used, 'post', { key: 'used-before' })
  const never = await send(clerk, `shop.invoice/${newId()}/post`, { key: 'used-before' })
  expect(never.status).toBe(404)
  expect(await send(clerk, `shop.invoice/${secret.id}/post`, { key: 'used-before' })).toEqual(never)
})

test('without the view permission, invalid requests receive the 404 of an unknown document', async () => {
  const blind = await host.as({ subject: 'blind', permissions: allBut('view') })
  const { id } = await host.addDocument()
  const never = await send(blind, `shop.invoice/${id}/actions/post`)
  expect(JSON.parse(never.body)).toEqual(notFound)
  for (const sent of [{ body: '{' }, { body: {} }, { key: null }, { key: 'a b' }]) {
    expect(await send(blind, `shop.invoice/${id}/actions/post`, sent)).toEqual(never)
  }
  expect(await send(blind, `shop.invoice/${id}/actions/shop.nothing`)).toEqual(never)
})
