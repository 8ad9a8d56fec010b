import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow, storedEvents } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Creates an invoice with version 2 that can be written off. */
async function addPosted() {
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post')
  return invoice
}

test.each([
  ['no reason', undefined, 'document_action.reason_required'],
  ['a null reason', null, 'document_action.reason_required'],
  ['an empty reason', '', 'document_action.reason_invalid'],
  ['a blank reason', ' \n\u3000', 'document_action.reason_invalid'],
  ['a reason of 1,001 code points', '😀'.repeat(1_001), 'document_action.reason_invalid'],
  ['a reason with U+0000', 'a\0', 'document_action.reason_invalid'],
])('a request with %s receives 400 if the action requires a reason', async (_what, reason, code) => {
  const invoice = await addPosted()
  const before = await everyRow(host.database)
  const more = { expectedVersion: 2, ...(reason === undefined ? {} : { reason }) }
  const refusal = await refusalOf(await execute(clerk, invoice, 'shop.write_off', more))
  expect(refusal).toMatchObject({ status: 400, code })
  const isInvalid = code.endsWith('invalid')
  expect(refusal.context).toEqual(isInvalid ? { maxChars: 1_000 } : undefined)
  expect(await everyRow(host.database)).toEqual(before)
})

test('a reason with a lone surrogate receives 400', async () => {
  const more = { expectedVersion: 2, reason: 'a\ud800' }
  expect((await execute(clerk, await addPosted(), 'shop.write_off', more)).status).toBe(400)
})

test('a reason that is too long receives 400 even if the action requires no reason', async () => {
  const response = await execute(clerk, await host.addDocument(), 'post', { reason: 'a'.repeat(1_001) })
  expect(await refusalOf(response)).toMatchObject({ code: 'document_action.reason_invalid' })
})

test.each([
  ['1,000 code points', '😀'.repeat(1_000), '😀'.repeat(1_000)],
  ['surrounding white space', ' \n Customer is\nbankrupt. \t', 'Customer is\nbankrupt.'],
])('a reason with %s is trimmed and recorded', async (_what, reason, recorded) => {
  const invoice = await addPosted()
  await executed(clerk, invoice, 'shop.write_off', { expectedVersion: 2, reason })
  const [, event] = await storedEvents(host.database, invoice)
  expect(event).toMatchObject({ action_code: 'shop.write_off', metadata: { reason: recorded } })
})

test('an optional reason is recorded unless it is blank', async () => {
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post', { reason: 'Month end.' })
  await executed(clerk, invoice, 'unpost', { expectedVersion: 2, reason: '  ' })
  const [post, unpost] = await storedEvents(host.database, invoice)
  expect(post?.metadata).toMatchObject({ reason: 'Month end.' })
  expect(unpost?.metadata).not.toHaveProperty('reason')
})
