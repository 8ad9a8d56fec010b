import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { genericDocumentStore } from '@vertical-kit/document-actions'
import { type EditorState, ExecutionResult } from '@vertical-kit/document-actions/contract'
import { parse } from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  allBut,
  allPermissions,
  execute,
  executed,
  expectJson,
  openShopHost,
  type ShopHost,
} from '../harness.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

test('200: the answer contains the complete result', async () => {
  const { version: _, ...invoice } = await host.addDocument('shop.invoice', { amount: '10.00' })
  const response = await execute(clerk, invoice, 'post')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.has('Idempotent-Replayed')).toBe(false)
  const result = await expectJson<ExecutionResult>(response, 200)
  expect(result).toEqual({
    executionId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/),
    actionCode: 'post',
    document: { ...invoice, status: 'Posted', updatedAtUtc: expect.any(String) },
    documentVersion: 2,
    actions: expect.any(Array),
    workCenterMayChange: true,
    createdDocument: null,
  })
  expect(parse(ExecutionResult, result)).toEqual(result)
})

test('the stored document equals the document in the answer', async () => {
  const invoice = await host.addDocument()
  const result = await executed(clerk, invoice, 'shop.rename', { payload: { title: 'First' } })
  const stored = await host.database.read((db) => genericDocumentStore.find(db, invoice))
  expect(stored).toEqual({ ...result.document, version: 2 })
  expect(result.document).toMatchObject({
    status: 'Draft',
    number: invoice.number,
    payload: { fields: { amount: '10.00', title: 'First' } },
    createdAtUtc: invoice.createdAtUtc,
  })
})

test('the actions in the answer depend on the new state', async () => {
  const invoice = await host.addDocument()
  const { actions, document, documentVersion } = await executed(clerk, invoice, 'post')
  const path = `/api/documents/shop.invoice/${invoice.id}/editor-state`
  const state = await expectJson<EditorState>(await clerk('GET', path), 200)
  expect({ document, documentVersion, actions }).toEqual(state)
  const allowed = (code: string) => actions.find((action) => action.code === code)?.isAllowed
  // These actions depend on the new status and on the new entries in the books.
  expect([allowed('post'), allowed('unpost'), allowed('shop.write_off')]).toEqual([false, true, true])
})

test('the answer contains only actions that the caller has permission for', async () => {
  const other = await host.as({ subject: 'other', permissions: allBut('unpost', 'write_off') })
  const { actions } = await executed(other, await host.addDocument(), 'post')
  expect(actions.map(({ code }) => code)).toEqual([
    'post',
    'repost',
    'shop.rename',
    'shop.open_customer',
    'mark_for_deletion',
    'unmark_for_deletion',
  ])
})

test('each execution increments the version by one', async () => {
  const invoice = await host.addDocument()
  const versions: number[] = []
  for (const [expectedVersion, code] of [
    [1, 'post'],
    [2, 'repost'],
    [3, 'unpost'],
    [4, 'post'],
  ] as const) {
    versions.push((await executed(clerk, invoice, code, { expectedVersion })).documentVersion)
  }
  expect(versions).toEqual([2, 3, 4, 5])
})

test('workCenterMayChange is false if the definition of the action sets it', async () => {
  const invoice = await host.addDocument()
  const renamed = await executed(clerk, invoice, 'shop.rename', { payload: { title: 'First' } })
  expect(renamed.workCenterMayChange).toBe(false)
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  const derived = await executed(clerk, order, 'shop.create_invoice', { expectedVersion: 2 })
  expect(derived.workCenterMayChange).toBe(true)
})

test('a repeat with the document id in another case is a replay', async () => {
  const invoice = await host.addDocument()
  const shouted = { ...invoice, id: invoice.id.toUpperCase() }
  const first = await executed(clerk, shouted, 'post', { key: 'in-any-case' })
  expect(first.document.id).toBe(invoice.id)
  const repeat = await execute(clerk, invoice, 'post', { key: 'in-any-case' })
  expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
  expect(await repeat.json()).toEqual(first)
})

test('an execution does not change other documents', async () => {
  const [one, other] = [await host.addDocument(), await host.addDocument()]
  await executed(clerk, one, 'post')
  expect(await host.database.read((db) => genericDocumentStore.find(db, other))).toEqual(other)
})
