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
afterAll(() => desk.close())

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
    for (const handler of tradeEventHandlers) await handler.run(inbox, event, observed)
  })
  return statements
}

/** Returns the stored event of an action that was executed on a document. */
async function eventOf({ id, typeCode }: Document, actionCode: string): Promise<OutboxEvent> {
  const [row] = await desk.database.read((db) =>
    db.execute<{ execution_id: string; data: Record<string, unknown> }>(sql`
      select causation_id as execution_id, data
      from core_audit.outbox_events
      where subject = ${`document/${typeCode}/${id}`} and data ->> 'actionCode' = ${actionCode}`),
  )
  if (row === undefined) throw new Error(`No event of ${actionCode} exists`)
  return {
    id: newId(),
    type: 'document.action.completed',
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
  for (const [document, actionCode, count] of [
    [invoice, 'post', 2],
    [payment, 'post', 1],
    [payment, 'trade.apply_payment', 3],
    [invoice, 'trade.write_off', 3],
    [order, 'post', 3],
  ] as const) {
    const statements = await readsOf(await eventOf(document, actionCode))
    expect([document.typeCode, actionCode, statements.length]).toEqual([document.typeCode, actionCode, count])
    for (const statement of statements) expect(await scannedWhole(desk.database, statement)).toEqual([])
  }
})
