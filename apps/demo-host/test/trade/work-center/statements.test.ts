import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { OutboxEvent } from '@vertical-kit/core-audit/outbox'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { openInbox } from '@vertical-kit/work-center'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tradeDefinitions } from '../../../src/trade/work-center/definitions.ts'
import { tradeEventHandlers } from '../../../src/trade/work-center/event-handlers.ts'
import { act, type Document } from '../../actions.ts'
import { draftSales, postedInvoice, postedPayment } from '../actions/documents.ts'
import { type Statement, scannedWhole } from '../scanned-whole.ts'
import { type Desk, openDesk } from './desk.ts'

let desk: Desk
let clerk: TestRequest

beforeAll(async () => {
  desk = await openDesk()
  clerk = await desk.as('clerk')
})
afterAll(() => desk?.close())

/** Runs the event handlers for an event and returns the statements that they use for reading. */
async function readsOf(event: OutboxEvent): Promise<readonly Statement[]> {
  const statements: Statement[] = []
  await desk.database.transaction(async (tx) => {
    const observed: Tx = {
      ...tx,
      execute(statement) {
        statements.push(statement)
        return tx.execute(statement)
      },
    }
    const config = { notificationRetentionMs: 1 }
    const inbox = openInbox(observed, { definitions: tradeDefinitions, config, administratorRoleCodes: [] })
    for (const handler of tradeEventHandlers) {
      if (handler.eventType === event.type) await handler.run(inbox, event, observed)
    }
  })
  return statements
}

/** Returns the stored event of a document with this action code, or with this type if it has no action code. */
async function eventOf({ id, typeCode }: Document, code: string): Promise<OutboxEvent> {
  const [row] = await desk.database.read((db) =>
    db.execute<{ type: string; execution_id: string | null; data: Record<string, unknown> }>(sql`
      select type, causation_id as execution_id, data
      from core_audit.outbox_events
      where subject = ${`document/${typeCode}/${id}`} and coalesce(data ->> 'actionCode', type) = ${code}`),
  )
  if (row === undefined) throw new Error(`No event of ${code} exists`)
  return {
    id: newId(),
    type: row.type,
    source: 'test',
    subject: `document/${typeCode}/${id}`,
    time: '2026-01-01T00:00:00.000Z',
    actorUserId: null,
    correlationId: null,
    causationId: row.execution_id,
    schemaVersion: 1,
    data: row.data,
  }
}

test('event handlers read with at most three statements per event, and the statements use indexes', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '20.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '20.00' } })
  await act(clerk, invoice, 'trade.write_off', { reason: 'Lost' })
  const order = await draftSales(clerk, 'trade.sales_order')
  await act(clerk, order, 'post')
  const { createdDocument } = await act(clerk, order, 'trade.create_invoice')
  await clerk('DELETE', `/api/documents/trade.sales_invoice/${createdDocument?.id}`)
  for (const [document, code, count] of [
    [invoice, 'post', 2],
    [payment, 'post', 1],
    [payment, 'trade.apply_payment', 3],
    [invoice, 'trade.write_off', 3],
    [order, 'post', 3],
    [order, 'trade.derived_document.deleted', 3],
  ] as const) {
    const statements = await readsOf(await eventOf(document, code))
    expect([document.typeCode, code, statements.length]).toEqual([document.typeCode, code, count])
    for (const statement of statements) expect(await scannedWhole(desk.database, statement)).toEqual([])
  }
})
