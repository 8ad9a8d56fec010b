import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
let administrator: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
})
afterAll(() => host.close())

test.each([
  ['GET', 'shop.order/{id}/derive-actions'],
  ['POST', 'shop.invoice/derive'],
  ['POST', 'shop.order/{id}/derive'],
  ['GET', 'shop.order/{id}/ui-effects'],
  ['GET', 'shop.order/{id}/actions'],
  ['POST', 'shop.order/{id}/mark_for_deletion'],
])('the route %s …/%s does not exist and receives 404', async (method, path) => {
  const { id } = await host.addDocument('shop.order')
  const before = await everyRow(host.database)
  const response = await administrator(method, `/api/documents/${path.replace('{id}', id)}`, {
    headers: { 'Idempotency-Key': 'key' },
    ...(method === 'GET' ? {} : { body: { expectedVersion: 1, sourceId: id } }),
  })
  expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'request.route_not_found' })
  expect(await everyRow(host.database)).toEqual(before)
})

test.each([
  ['GET', 'shop.order/{id}/actions/post', 'POST, OPTIONS'],
  ['GET', 'shop.order/{id}/post', 'POST, OPTIONS'],
  ['POST', 'shop.order/{id}/editor-state', 'GET, HEAD, OPTIONS'],
])('%s …/%s receives 405 with the methods of the path', async (method, path, allow) => {
  const { id } = await host.addDocument('shop.order')
  const response = await administrator(method, `/api/documents/${path.replace('{id}', id)}`)
  expect(response.headers.get('Allow')).toBe(allow)
  expect(await refusalOf(response)).toMatchObject({ status: 405, code: 'request.method_not_allowed' })
})
