import type { TestRequest } from '@vertical-kit/core-audit/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Document, type ExecutionResult, editorState, execute } from '../../actions.ts'
import { type Body, bodyOf, expectAnswer } from '../../answers.ts'
import { draft, draftSales } from '../actions/documents.ts'
import { outstandingOf } from '../ledger/check-books.ts'
import { handleNextOf, pendingSubjects, releaseAll } from './deliveries.ts'
import { type Desk, notificationsOf, openDesk, type Processor, taskOf } from './desk.ts'

let desk: Desk
let clerk: TestRequest
let processor: Processor

beforeAll(async () => {
  desk = await openDesk()
  clerk = await desk.as('clerk')
  processor = desk.openProcessor()
})
afterAll(() => desk?.close())

/** Creates five drafts: an order, an invoice with a total of 25.00, and three payments of the invoice. */
async function makeDocuments(): Promise<readonly Document[]> {
  const order = await draftSales(clerk, 'trade.sales_order')
  const invoice = await draft(clerk, 'trade.sales_invoice', order.payload.fields)
  const pay = (amount: string) => draft(clerk, 'trade.customer_payment', { invoiceId: invoice.id, amount })
  return [order, invoice, await pay('25.00'), await pay('20.00'), await pay('5.00')]
}

/** One move executes an enabled action on a document or handles one event of a subject. */
const move = fc.oneof(
  { weight: 3, arbitrary: fc.record({ which: fc.nat({ max: 4 }), what: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ subject: fc.nat({ max: 4 }) }) },
)
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never

const isWanted = (code: string): boolean =>
  !['mark_for_deletion', 'repost', 'trade.open_customer'].includes(code)

const done = new Map<string, number>()

/** The draft invoice of each order, from the creation by the action to the deletion. */
const invoices = new Map<string, Document>()
const deleteInvoice = 'delete the draft invoice'

async function take(next: Move, documents: readonly Document[], dueDate: string): Promise<void> {
  if ('subject' in next) return handleOne(next.subject)
  const document = documents[next.which] as Document
  const { documentVersion: expectedVersion, document: now, actions } = await editorState(clerk, document)
  // Edit a draft invoice before posting it, so the test shows that the task gets the new due date.
  if (now.typeCode === 'trade.sales_invoice' && now.status === 'Draft') {
    const body = { fields: { ...now.payload.fields, dueDate } }
    await expectAnswer(clerk('PUT', `/api/documents/${now.typeCode}/${now.id}`, { body }), 200)
    await act(document, 'post', expectedVersion + 1)
    return
  }
  const choices = actions.flatMap(({ code, isAllowed }) => (isAllowed && isWanted(code) ? [code] : []))
  if (invoices.has(document.id)) choices.push(deleteInvoice)
  const code = choices[next.what % choices.length]
  if (code === deleteInvoice) await deleteInvoiceOf(document)
  else if (code !== undefined) await act(document, code, expectedVersion)
}

async function deleteInvoiceOf(order: Document): Promise<void> {
  const path = `/api/documents/trade.sales_invoice/${invoices.get(order.id)?.id}`
  expect((await clerk('DELETE', path)).status).toBe(204)
  invoices.delete(order.id)
  done.set(deleteInvoice, (done.get(deleteInvoice) ?? 0) + 1)
}

async function act(document: Document, code: string, expectedVersion: number): Promise<void> {
  const amount = String(document.payload.fields['amount'])
  const response = await execute(clerk, document, code, {
    expectedVersion,
    payload: code === 'trade.apply_payment' ? { amount } : null,
    ...(code === 'trade.write_off' ? { reason: 'Lost' } : {}),
  })
  const { code: refusal, createdDocument } = (await bodyOf(response)) as Body & ExecutionResult
  if (createdDocument) invoices.set(document.id, createdDocument)
  if (response.ok) done.set(code, (done.get(code) ?? 0) + 1)
  else expect(refusal).toBe('trade.amount_too_large')
}

async function handleOne(which: number): Promise<void> {
  const subjects = await pendingSubjects(desk.database)
  const subject = subjects[which % subjects.length]
  if (subject !== undefined) await handleNextOf(desk.database, processor, subject)
}

async function handleAll(order: readonly number[]): Promise<void> {
  for (const which of order) await handleOne(which)
  await releaseAll(desk.database)
  await processor.run()
}

/** Returns the status that the task of an invoice must have in the current state of the invoice. */
async function expectedStatus(invoice: Document): Promise<string | null> {
  const { document, documentVersion } = await editorState(clerk, invoice)
  if (document.status === 'Posted') {
    return (await outstandingOf(desk.database, invoice)) === '0.00' ? 'Completed' : 'Open'
  }
  return documentVersion === 1 ? null : 'Cancelled'
}

async function expectedOrderStatus(order: Document): Promise<string | null> {
  const { document, documentVersion, actions } = await editorState(clerk, order)
  if (document.status !== 'Posted') return documentVersion === 1 ? null : 'Cancelled'
  const toInvoice = actions.find(({ code }) => code === 'trade.create_invoice')
  return toInvoice?.isAllowed ? 'Open' : 'Completed'
}

const post = { which: 0, what: 0 }
const unpost = { which: 0, what: 0 }
const createInvoice = { which: 0, what: 1 }
const deleteIt = { which: 0, what: 0 }
const handle = { subject: 0 }

test('after events were handled in any order, every task matches the state of its document', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 4, maxLength: 16 }),
      fc.array(fc.nat({ max: 4 }), { maxLength: 12 }),
      async (moves, order) => {
        const documents = await makeDocuments()
        const [sales, invoice] = documents as [Document, Document]
        for (const [index, next] of moves.entries()) await take(next, documents, `2027-02-${10 + index}`)
        await handleAll(order)

        const task = await taskOf(desk.database, 'trade.collect_payment', invoice)
        expect(task?.status ?? null).toBe(await expectedStatus(invoice))
        if (task?.status === 'Open') {
          const { dueDate } = (await editorState(clerk, invoice)).document.payload.fields
          expect(task.description).toBe('25.00 in total')
          expect(task.due_on).toBe(dueDate)
        }
        const orderTask = await taskOf(desk.database, 'trade.invoice_order', sales)
        expect(orderTask?.status ?? null).toBe(await expectedOrderStatus(sales))
        const settled = await notificationsOf(desk.database, 'trade.invoice_settled', invoice)
        expect(new Set(settled).size).toBe(settled.length)
      },
    ),
    {
      numRuns: 30,
      // The random moves rarely delete the invoice of an order.
      examples: [
        [[post, handle, createInvoice, handle, deleteIt], []],
        [[post, handle, createInvoice, handle, deleteIt, unpost], []],
        [[post, createInvoice, handle, handle, deleteIt, createInvoice], []],
      ],
    },
  )
  expect([...done.keys()].toSorted()).toEqual([
    deleteInvoice,
    'post',
    'trade.apply_payment',
    'trade.create_invoice',
    'trade.write_off',
    'unpost',
  ])
})
