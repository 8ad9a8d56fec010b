import { onWake, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { storedOutboxEvents, userIdOf } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Posts an invoice with a request id. */
async function post(invoice: StoredDocument, requestId: string): Promise<{ executionId: string }> {
  const response = await clerk('POST', `/api/documents/shop.invoice/${invoice.id}/actions/post`, {
    headers: { 'Idempotency-Key': requestId, 'X-Request-Id': requestId },
    body: { expectedVersion: 1 },
  })
  return (await response.json()) as { executionId: string }
}

test('an execution writes one event that matches the contract', async () => {
  const invoice = await host.addDocument()
  const { executionId } = await post(invoice, 'request-of-the-test')
  expect(await storedOutboxEvents(host.database, invoice)).toEqual([
    {
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
      type: 'document.action.completed',
      source: '@vertical-kit/document-actions',
      subject: `document/shop.invoice/${invoice.id}`,
      time: expect.any(String),
      actor_user_id: await userIdOf(host.database, 'clerk'),
      correlation_id: 'request-of-the-test',
      causation_id: executionId,
      schema_version: 1,
      data: {
        documentId: invoice.id,
        documentType: 'shop.invoice',
        actionCode: 'post',
        previousStatus: 'Draft',
        currentStatus: 'Posted',
        documentVersion: 2,
      },
      consumers: [],
    },
  ])
})

test('the event contains the statuses before and after the action, even if both are equal', async () => {
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post')
  await executed(clerk, invoice, 'repost', { expectedVersion: 2 })
  await executed(clerk, invoice, 'unpost', { expectedVersion: 3 })
  const events = await storedOutboxEvents(host.database, invoice)
  expect(
    events.map(({ data }) => [data['previousStatus'], data['currentStatus'], data['documentVersion']]),
  ).toEqual([
    ['Draft', 'Posted', 2],
    ['Posted', 'Posted', 3],
    ['Posted', 'Draft', 4],
  ])
})

test('a derivation writes an event only for its source', async () => {
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  const { createdDocument } = await executed(clerk, order, 'shop.create_invoice', { expectedVersion: 2 })
  const events = await storedOutboxEvents(host.database, order)
  expect(events.map(({ data }) => data['actionCode'])).toEqual(['post', 'shop.create_invoice'])
  expect(await storedOutboxEvents(host.database, createdDocument ?? order)).toEqual([])
})

test('a repeat writes no second event', async () => {
  const invoice = await host.addDocument()
  await post(invoice, 'request-sent-twice')
  await post(invoice, 'request-sent-twice')
  expect(await storedOutboxEvents(host.database, invoice)).toHaveLength(1)
})

test('each registered consumer receives a delivery of the event', async () => {
  for (const name of ['x', 'work-center']) {
    await host.database.statement((tx) =>
      tx.execute(sql`select core_audit.register_outbox_consumer(${name})`),
    )
  }
  const invoice = await host.addDocument()
  await post(invoice, 'request-with-consumers')
  const events = await storedOutboxEvents(host.database, invoice)
  expect(events.map(({ consumers }) => consumers)).toEqual([['work-center', 'x']])
})

test('an execution wakes the consumers after its commit; replays and refusals do not wake them', async () => {
  const invoice = await host.addDocument()
  const seen: ReturnType<typeof storedOutboxEvents>[] = []
  onWake(host.outbox, () => void seen.push(storedOutboxEvents(host.database, invoice)))
  await executed(clerk, invoice, 'post', { key: 'rung' })
  await executed(clerk, invoice, 'post', { key: 'rung' })
  expect((await execute(clerk, invoice, 'post', { expectedVersion: 2 })).status).toBe(409)
  expect(await Promise.all(seen)).toMatchObject([[{ data: { documentId: invoice.id } }]])
})
