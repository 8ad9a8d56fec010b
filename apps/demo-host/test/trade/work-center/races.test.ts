import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { blockedCount, type TestRequest, untilBlocked } from '@vertical-kit/core-audit/testing'
import type { DocumentState } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writePosting } from '../../../src/trade/ledger/commands/write-posting.ts'
import { writeOffPosting } from '../../../src/trade/ledger/posting-rules.ts'
import { act, type Document } from '../../actions.ts'
import { postedInvoice, postedPayment } from '../actions/documents.ts'
import { whileOpen } from '../while-open.ts'
import { handleNextOf, releaseAll } from './deliveries.ts'
import { type Desk, openDesk, type Processor, taskOf } from './desk.ts'

let desk: Desk
let clerk: TestRequest
let one: Processor
let other: Processor

beforeAll(async () => {
  desk = await openDesk()
  clerk = await desk.as('clerk')
  one = desk.openProcessor()
  other = desk.openProcessor()
})
afterAll(() => desk?.close())

const statusOf = async (invoice: Document) =>
  (await taskOf(desk.database, 'trade.collect_payment', invoice))?.status

/** Inserts a row with the unique key of an invoice's task, so a concurrent insert of that task waits. */
const claimKey = (tx: Tx, { id }: Document) =>
  tx.execute(sql`
    insert into work_center.tasks (
      id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, assigned_user_id
    )
    values (
      ${newId()}::uuid, 'trade.collect_payment', ${id}, '-', 'document', '-', ${id}::uuid, '-', ${newId()}::uuid
    )`)

class KeyReleased extends Error {}

test('if an invoice is paid while the event of its posting is handled, the task is completed', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '25.00')
  await handleNextOf(desk.database, one, `document/trade.customer_payment/${payment.id}`)
  await releaseAll(desk.database)

  const running: Promise<unknown>[] = []
  const lockedInsert = desk.database.transaction(async (tx) => {
    await claimKey(tx, invoice)
    // The processor reads the open balance and then waits, because it cannot insert the task yet.
    running.push(one.run())
    await untilBlocked(desk.database)
    let isPaid = false
    const paying = act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } }).then(() => {
      isPaid = true
    })
    running.push(paying)
    while (!isPaid && (await blockedCount(desk.database)) < 2);
    // If the payment did not wait for the first processor, the other processor would now handle its event.
    if (isPaid) await other.run()
    throw new KeyReleased()
  })
  await expect(lockedInsert).rejects.toThrow(KeyReleased)
  await Promise.all(running)
  await other.run()
  expect(await statusOf(invoice)).toBe('Completed')
})

test('an event handler that waits for the lock of an invoice reads a balance that was settled during the wait', async () => {
  const invoice = await postedInvoice(clerk)
  const writeOff = { document: invoice as unknown as DocumentState, actionCode: 'trade.write_off' }
  await whileOpen(
    desk.database,
    async (tx) => {
      await tx.execute(sql`select from trade.documents where id = ${invoice.id}::uuid for no key update`)
      const posting = writeOffPosting(writeOff.document, 2_500n)
      await writePosting(tx, { ...writeOff, executionId: newId() }, posting)
    },
    () => one.run(),
  )
  expect(await statusOf(invoice)).toBe('Completed')
})

test('if two processors handle events of one invoice concurrently, the task has the correct status afterwards', async () => {
  for (let round = 0; round < 10; round += 1) {
    const invoice = await postedInvoice(clerk)
    const payments = [
      await postedPayment(clerk, invoice, '20.00'),
      await postedPayment(clerk, invoice, '5.00'),
    ]
    for (const payment of payments) {
      const { amount } = payment.payload.fields
      await act(clerk, payment, 'trade.apply_payment', { payload: { amount } })
    }
    await Promise.all([one.run(), other.run()])
    expect(await statusOf(invoice)).toBe('Completed')
  }
})
