import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { DocumentReference } from '@vertical-kit/document-actions'
import { Effects } from '@vertical-kit/document-actions/contract'
import { parse } from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, executed, expectJson, openShopHost, type ShopHost } from '../harness.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const ask = async (request: TestRequest, { typeCode, id }: DocumentReference) => {
  const response = await request('GET', `/api/documents/${typeCode}/${id}/effects`)
  expect(response.headers.get('cache-control')).toBe('no-store')
  return expectJson<Effects>(response, 200)
}

const nothing = { accountingEntries: [], registerMovements: [] }

test('200: the answer contains only the effects of the document on the books', async () => {
  const invoice = await host.addDocument('shop.invoice', { amount: '12.50' })
  expect(await ask(clerk, invoice)).toEqual(nothing)
  await executed(clerk, invoice, 'post')
  const effects = await ask(clerk, invoice)
  expect(effects).toEqual({
    accountingEntries: [
      { account: 'receivable', debit: '12.50', credit: '0.00' },
      { account: 'revenue', debit: '0.00', credit: '12.50' },
    ],
    registerMovements: [],
  })
  expect(parse(Effects, effects)).toEqual(effects)
})

test('a type without loadEffects has no effects', async () => {
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  expect(await ask(clerk, order)).toEqual(nothing)
})

test('a caller needs only the view permission to read the effects of a document', async () => {
  const viewer = await host.as({ subject: 'viewer', permissions: ['document.shop.invoice.view'] })
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post')
  expect(await ask(viewer, invoice)).toEqual(await ask(clerk, invoice))
})
