import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { genericDocumentStore, type StoredDocument } from '@vertical-kit/document-actions'
import type { DryRunResult, EditorState } from '@vertical-kit/document-actions/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  allPermissions,
  dryRun,
  execute,
  executed,
  expectJson,
  openShopHost,
  refusalOf,
  type ShopHost,
} from '../harness.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Creates a posted order and an invoice derived from it. */
async function derive(request: TestRequest = clerk) {
  const order = await host.addDocument('shop.order', { amount: '42.00' })
  await executed(clerk, order, 'post')
  const result = await executed(request, order, 'shop.create_invoice', { expectedVersion: 2 })
  if (result.createdDocument === null) throw new Error('The derivation returned no document')
  return { order, result, invoice: result.createdDocument }
}

const linksOf = (source: StoredDocument) =>
  host.database.read((db) =>
    db.execute(sql`select * from document_actions.derived_documents where source_id = ${source.id}::uuid`),
  )

test('200: the answer contains the updated source and the created document', async () => {
  const { order, result, invoice } = await derive()
  expect(result).toMatchObject({
    actionCode: 'shop.create_invoice',
    document: { id: order.id, typeCode: 'shop.order', status: 'Posted', payload: order.payload },
    documentVersion: 3,
    workCenterMayChange: true,
  })
  expect(invoice).toEqual({
    id: expect.any(String),
    typeCode: 'shop.invoice',
    number: expect.stringMatching(/^I-\d+$/),
    display: `Derived ${invoice.number}`,
    status: 'Draft',
    payload: { fields: { amount: '42.00' } },
    createdAtUtc: expect.any(String),
    updatedAtUtc: expect.any(String),
  })
})

test('the answer, its repeat and a dry run omit a created document that its type hides from the caller', async () => {
  const order = await host.addDocument('shop.order', { amount: '42.00', isSecret: true })
  await executed(clerk, order, 'post')
  const more = { expectedVersion: 2, key: newId() }
  const tried = await expectJson<DryRunResult>(await dryRun(clerk, order, 'shop.create_invoice', more))
  const first = await executed(clerk, order, 'shop.create_invoice', more)
  const repeat = await executed(clerk, order, 'shop.create_invoice', more)
  expect([tried, first, repeat].map(({ createdDocument }) => createdDocument)).toEqual([null, null, null])
  expect(repeat).toEqual(first)
  expect(await linksOf(order)).toHaveLength(1)
})

test('the created document is stored with version 1 and has its own actions', async () => {
  const { invoice } = await derive()
  const stored = await host.database.read((db) => genericDocumentStore.find(db, invoice))
  expect(stored).toEqual({ ...invoice, version: 1 })
  const path = `/api/documents/shop.invoice/${invoice.id}/editor-state`
  const state = await expectJson<EditorState>(await clerk('GET', path), 200)
  expect(state).toMatchObject({ document: invoice, documentVersion: 1 })
})

test('the actions in the answer depend on the new link', async () => {
  const { result } = await derive()
  const action = result.actions.find(({ code }) => code === 'shop.create_invoice')
  expect(action).toMatchObject({ isAllowed: false, disabledReasons: [{ code: 'shop.invoiced' }] })
})

test('the view derived_documents contains the link', async () => {
  const { order, invoice } = await derive()
  expect(await linksOf(order)).toEqual([
    {
      action_code: 'shop.create_invoice',
      source_type_code: 'shop.order',
      source_id: order.id,
      created_type_code: 'shop.invoice',
      created_id: invoice.id,
      created_at: expect.any(String),
    },
  ])
})

test('the link contains the execution id', async () => {
  const { order, result } = await derive()
  const rows = await host.database.read((db) =>
    db.execute(sql`
      select execution_id from document_actions.derivations where source_id = ${order.id}::uuid`),
  )
  expect(rows).toEqual([{ execution_id: result.executionId }])
})

test('a command creates no link', async () => {
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post')
  expect(await linksOf(invoice)).toEqual([])
})

test('a second derivation from an order receives 409', async () => {
  const { order } = await derive()
  const response = await execute(clerk, order, 'shop.create_invoice', { expectedVersion: 3 })
  expect(await refusalOf(response)).toMatchObject({
    code: 'document_action.unavailable',
    context: { reasonCodes: ['shop.invoiced'] },
  })
  expect(await linksOf(order)).toHaveLength(1)
})

test('a derivation needs only view permission on the source and create permission on the target', async () => {
  const permissions = ['document.shop.order.view', 'document.shop.invoice.create']
  const { invoice } = await derive(await host.as({ subject: 'deriver', permissions }))
  expect(invoice.typeCode).toBe('shop.invoice')
})
