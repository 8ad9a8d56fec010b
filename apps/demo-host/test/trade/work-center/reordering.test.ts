import type { TestRequest } from '@vertical-kit/core-audit/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { act, type Document } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { draft, draftSales } from '../actions/documents.ts'
import { handleNextOf, pendingSubjects } from './deliveries.ts'
import { type Desk, deliverAgain, notificationsOf, openDesk, type Processor, taskOf } from './desk.ts'

let desk: Desk
let clerk: TestRequest
let processor: Processor

beforeAll(async () => {
  desk = await openDesk()
  clerk = await desk.as('clerk')
  processor = desk.openProcessor()
})
afterAll(() => desk?.close())

type Step = () => Promise<unknown>

/** The steps of a test in order, and the expected state of the invoice's task after all events were handled. */
interface Case {
  readonly invoice: Document
  readonly steps: readonly Step[]
  readonly status: string
  readonly dueDate?: string
  /** The allowed numbers of notifications of the type `trade.invoice_settled`. Default: only 0. */
  readonly settledCounts?: readonly number[]
}

const collect = (invoice: Document) => taskOf(desk.database, 'trade.collect_payment', invoice)
const step =
  (document: Document, code: string, rest: object = {}): Step =>
  () =>
    act(clerk, document, code, rest)
const apply = (payment: Document, amount: string): Step =>
  step(payment, 'trade.apply_payment', { payload: { amount } })
const change =
  ({ typeCode, id, payload }: Document, fields: object): Step =>
  () => {
    const body = { fields: { ...payload.fields, ...fields } }
    return expectAnswer(clerk('PUT', `/api/documents/${typeCode}/${id}`, { body }), 200)
  }
const paymentOf = ({ id: invoiceId }: Document, amount: string): Promise<Document> =>
  draft(clerk, 'trade.customer_payment', { invoiceId, amount })

const cases: Readonly<Record<string, (invoice: Document) => Promise<Case>>> = {
  async 'after an invoice is paid and then payment and invoice are unposted, the task is cancelled'(invoice) {
    const payment = await paymentOf(invoice, '25.00')
    return {
      invoice,
      steps: [
        step(invoice, 'post'),
        step(payment, 'post'),
        apply(payment, '25.00'),
        step(payment, 'unpost'),
        step(invoice, 'unpost'),
      ],
      status: 'Cancelled',
      settledCounts: [0, 1],
    }
  },
  async 'after an invoice is unposted, changed and posted again, the open task has the new values'(invoice) {
    const payment = await paymentOf(invoice, '5.00')
    return {
      invoice,
      steps: [
        step(invoice, 'post'),
        step(invoice, 'unpost'),
        change(invoice, { dueDate: '2027-06-30' }),
        step(invoice, 'post'),
        step(payment, 'post'),
        apply(payment, '5.00'),
      ],
      status: 'Open',
      dueDate: '2027-06-30',
      settledCounts: [0],
    }
  },
  async 'after an invoice is unposted, posted again and paid in full, the task is completed'(invoice) {
    const payment = await paymentOf(invoice, '25.00')
    return {
      invoice,
      steps: [
        step(invoice, 'post'),
        step(invoice, 'unpost'),
        step(invoice, 'post'),
        step(payment, 'post'),
        apply(payment, '25.00'),
      ],
      status: 'Completed',
      settledCounts: [1],
    }
  },
  async 'after a third payment replaces one of two payments, the task is completed with one or two notifications'(
    invoice,
  ) {
    const [one, two, three] = [
      await paymentOf(invoice, '20.00'),
      await paymentOf(invoice, '5.00'),
      await paymentOf(invoice, '20.00'),
    ]
    return {
      invoice,
      steps: [
        step(invoice, 'post'),
        ...[one, two, three].map((payment) => step(payment, 'post')),
        apply(one, '20.00'),
        apply(two, '5.00'),
        step(one, 'unpost'),
        apply(three, '20.00'),
      ],
      status: 'Completed',
      settledCounts: [1, 2],
    }
  },
  async 'after the payment of an invoice is moved to another invoice, the task is open'(invoice) {
    const payment = await paymentOf(invoice, '25.00')
    const other = await draft(clerk, 'trade.sales_invoice', invoice.payload.fields)
    return {
      invoice,
      steps: [
        step(invoice, 'post'),
        step(other, 'post'),
        step(payment, 'post'),
        apply(payment, '25.00'),
        step(payment, 'unpost'),
        change(payment, { invoiceId: other.id }),
        step(payment, 'post'),
        apply(payment, '25.00'),
      ],
      status: 'Open',
      settledCounts: [0, 1],
    }
  },
  async 'after a partly paid invoice is written off, the task is completed and viewers receive no notification'(
    invoice,
  ) {
    const payment = await paymentOf(invoice, '20.00')
    return {
      invoice,
      steps: [
        step(invoice, 'post'),
        step(payment, 'post'),
        apply(payment, '20.00'),
        step(invoice, 'trade.write_off', { reason: 'Lost' }),
      ],
      status: 'Completed',
      settledCounts: [0],
    }
  },
  async 'after an invoice with an open balance is reposted, the task is open'(invoice) {
    return { invoice, steps: [step(invoice, 'post'), step(invoice, 'repost')], status: 'Open' }
  },
}

/** Runs all steps and handles all their events. Each number in `choices` selects the next step or a pending event. */
async function play(steps: readonly Step[], choices: readonly number[]): Promise<void> {
  let doneCount = 0
  for (let move = 0; ; move += 1) {
    const subjects = await pendingSubjects(desk.database)
    const hasStep = doneCount < steps.length
    const count = subjects.length + (hasStep ? 1 : 0)
    if (count === 0) return
    const choice = (choices[move % choices.length] ?? 0) % count
    const subject = subjects[choice]
    if (subject === undefined) {
      await steps[doneCount]?.()
      doneCount += 1
    } else {
      await handleNextOf(desk.database, processor, subject)
    }
  }
}

test.each(Object.entries(cases))('%s', async (_, caseOf) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 59 }), { minLength: 20, maxLength: 20 }), async (choices) => {
      const { invoice, steps, status, dueDate, settledCounts } = await caseOf(
        await draftSales(clerk, 'trade.sales_invoice'),
      )
      await play(steps, choices)
      const task = await collect(invoice)
      expect(task?.status).toBe(status)
      if (dueDate !== undefined) expect(task?.due_on).toBe(dueDate)
      const notifications = await notificationsOf(desk.database, 'trade.invoice_settled', invoice)
      expect(settledCounts ?? [0]).toContain(notifications.length)
    }),
    // The fixed examples handle every event immediately, or all events at the end in one of two orders.
    { numRuns: 25, examples: [[Array(20).fill(0)], [Array(20).fill(59)], [Array(20).fill(1)]] },
  )
})

test('an invoice with a total of zero creates no task', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...fields,
    lines: fields.lines.map((line) => ({ ...line, unitPrice: '0.00' })),
  }))
  await act(clerk, invoice, 'post')
  await processor.run()
  expect(await collect(invoice)).toBeNull()
})

test('a draft that is marked for deletion creates no task', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  await act(clerk, invoice, 'mark_for_deletion')
  await processor.run()
  expect(await collect(invoice)).toBeNull()
})

test('if an invoice is deleted before the event of its unposting is handled, the task is cancelled', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  await act(clerk, invoice, 'post')
  await processor.run()
  await act(clerk, invoice, 'unpost')
  const path = `/api/documents/trade.sales_invoice/${invoice.id}`
  expect((await clerk('DELETE', path)).status).toBe(204)
  await processor.run()
  expect(await collect(invoice)).toMatchObject({ status: 'Cancelled' })
})

test('after the draft invoice of an order is deleted, the completed task of the order is open again', async () => {
  const order = await draftSales(clerk, 'trade.sales_order')
  const statusOf = async () => (await taskOf(desk.database, 'trade.invoice_order', order))?.status
  await act(clerk, order, 'post')
  const { createdDocument: invoice } = await act(clerk, order, 'trade.create_invoice')
  await processor.run()
  expect(await statusOf()).toBe('Completed')
  expect((await clerk('DELETE', `/api/documents/trade.sales_invoice/${invoice?.id}`)).status).toBe(204)
  await processor.run()
  expect(await statusOf()).toBe('Open')
})

test('repeated deliveries change no tasks and create no additional notifications', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const payment = await paymentOf(invoice, '20.00')
  await act(clerk, invoice, 'post')
  await act(clerk, payment, 'post')
  await apply(payment, '20.00')()
  await act(clerk, invoice, 'trade.write_off', { reason: 'Lost' })
  const other = await draftSales(clerk, 'trade.sales_invoice')
  const fullPayment = await paymentOf(other, '25.00')
  await act(clerk, other, 'post')
  await act(clerk, fullPayment, 'post')
  await apply(fullPayment, '25.00')()
  await processor.run()
  const state = async () => [
    await collect(invoice),
    await collect(other),
    await notificationsOf(desk.database, 'trade.write_off_recorded', invoice),
    await notificationsOf(desk.database, 'trade.invoice_settled', other),
  ]
  const before = await state()
  expect(before).toMatchObject([
    { status: 'Completed' },
    { status: 'Completed' },
    [expect.any(String)],
    [expect.any(String)],
  ])
  await deliverAgain(desk.database)
  await processor.run()
  expect(await state()).toEqual(before)
})
