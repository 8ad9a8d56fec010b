import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { DocumentReference } from '@vertical-kit/document-actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCommand, aType } from '../definitions.ts'
import { allPermissions, executed, expectJson, openShopHost, type ShopHost } from '../harness.ts'
import { storedEvents, userIdOf } from '../rows.ts'
import { shopTypes } from '../shop.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  const journal = aType([aCommand({ code: 'shop.close' })], { typeCode: 'general_journal_entry' })
  host = await openShopHost({ types: [...shopTypes(), journal] })
  clerk = await host.as({ subject: 'clerk', name: 'Clara Clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const timelineOf = async ({ typeCode, id }: DocumentReference) => {
  const path = `/api/audit/events?kind=Document&typeCode=${typeCode}&objectId=${id}`
  return (await expectJson<AuditEventPage>(await clerk('GET', path), 200)).items
}

test('an execution writes one event of its document, with its actor and request id', async () => {
  const invoice = await host.addDocument()
  const path = `/api/documents/shop.invoice/${invoice.id}/actions/post`
  const headers = { 'Idempotency-Key': 'audited', 'X-Request-Id': 'request-of-the-test' }
  const response = await clerk('POST', path, { headers, body: { expectedVersion: 1 } })
  expect(response.headers.get('x-request-id')).toBe('request-of-the-test')
  const { executionId } = (await response.json()) as { executionId: string }
  expect(await storedEvents(host.database, invoice)).toEqual([
    {
      id: expect.any(String),
      module: 'document-actions',
      target_kind: 'Document',
      target_type_code: 'shop.invoice',
      target_id: invoice.id,
      action_code: 'post',
      actor_user_id: await userIdOf(host.database, 'clerk'),
      correlation_id: 'request-of-the-test',
      metadata: { executionId, version: 2 },
      changes: [{ fieldPath: 'status', oldValue: 'Draft', newValue: 'Posted' }],
    },
  ])
})

test('if a request contains no id, the event contains the id generated for the response', async () => {
  const invoice = await host.addDocument()
  const path = `/api/documents/shop.invoice/${invoice.id}/actions/post`
  const response = await clerk('POST', path, {
    headers: { 'Idempotency-Key': 'no-id-of-its-own' },
    body: { expectedVersion: 1 },
  })
  const [event] = await storedEvents(host.database, invoice)
  expect(event?.correlation_id).toBe(response.headers.get('x-request-id'))
})

test('the event lists each changed field and no others', async () => {
  const invoice = await host.addDocument('shop.invoice', { amount: '10.00', title: 'Old', lines: [1] })
  await executed(clerk, invoice, 'shop.rename', { payload: { title: 'New' } })
  const [event] = await storedEvents(host.database, invoice)
  expect(event?.changes).toEqual([{ fieldPath: 'fields.title', oldValue: 'Old', newValue: 'New' }])
})

test('the event contains the reason, and the changes of the handler after the changed fields', async () => {
  const invoice = await host.addDocument('shop.invoice', { amount: '10.00' })
  await executed(clerk, invoice, 'post')
  await executed(clerk, invoice, 'shop.write_off', { expectedVersion: 2, reason: ' Bankrupt. ' })
  const [, event] = await storedEvents(host.database, invoice)
  expect(event).toMatchObject({
    action_code: 'shop.write_off',
    metadata: { version: 3, reason: 'Bankrupt.' },
    changes: [{ fieldPath: 'balance', oldValue: '10.00', newValue: '0.00' }],
  })
})

test('if an action changes nothing in the document, its event lists no changes', async () => {
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post')
  await executed(clerk, invoice, 'repost', { expectedVersion: 2 })
  const [, event] = await storedEvents(host.database, invoice)
  expect(event).toMatchObject({ action_code: 'repost', metadata: { version: 3 }, changes: [] })
})

/** Creates a posted order and a posted invoice derived from it. */
async function deriveAndPost() {
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  const { createdDocument: invoice } = await executed(clerk, order, 'shop.create_invoice', {
    expectedVersion: 2,
  })
  if (invoice === null) throw new Error('The derivation returned no document')
  await executed(clerk, invoice, 'post')
  return { order, invoice }
}

test('the event of a derivation contains the created document', async () => {
  const { order, invoice } = await deriveAndPost()
  const [, event] = await storedEvents(host.database, order)
  expect(event).toMatchObject({
    action_code: 'shop.create_invoice',
    metadata: { createdDocument: { id: invoice.id, typeCode: 'shop.invoice', number: invoice.number } },
    changes: [],
  })
})

test('source and derived document have separate timelines', async () => {
  const { order, invoice } = await deriveAndPost()
  const [timeline, other] = [await timelineOf(order), await timelineOf(invoice)]
  expect(timeline.map(({ actionCode }) => actionCode)).toEqual(['shop.create_invoice', 'post'])
  expect(other.map(({ actionCode }) => actionCode)).toEqual(['post'])
  expect(timeline[0]).toMatchObject({
    target: { kind: 'Document', typeCode: 'shop.order', id: order.id },
    actor: { displayName: 'Clara Clerk' },
    metadata: { createdDocument: { id: invoice.id } },
    download: null,
  })
})

test('a general journal entry is audited with its own kind', async () => {
  const administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const entry = await host.addDocument('general_journal_entry')
  await executed(administrator, entry, 'shop.close')
  expect(await storedEvents(host.database, entry)).toMatchObject([
    {
      target_kind: 'GeneralJournalEntry',
      target_type_code: 'general_journal_entry',
      action_code: 'shop.close',
    },
  ])
})
