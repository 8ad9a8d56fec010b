import type { TestRequest } from '@vertical-kit/core-audit/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Document, editorState, execute } from '../../actions.ts'
import { bodyOf } from '../../answers.ts'
import { openTradeHost, type TradeHost } from '../harness.ts'
import { checkBooks } from '../ledger/check-books.ts'
import { draft, draftSales } from './documents.ts'

let host: TradeHost
let clerks: readonly TestRequest[]

beforeAll(async () => {
  host = await openTradeHost()
  clerks = [await host.asRole('clerk', 'trade.clerk'), await host.asRole('clerk2', 'trade.clerk')]
})
afterAll(() => host.close())

const codes = ['post', 'post', 'unpost', 'repost', 'trade.create_invoice', 'trade.write_off'] as const

const step = fc.record({
  code: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...codes) },
    { weight: 2, arbitrary: fc.constant('trade.apply_payment' as const) },
  ),
  who: fc.nat({ max: 1 }),
  /** Which of the documents. */
  which: fc.nat({ max: 20 }),
  amount: fc.constantFrom('0.01', '5.00', '12.50', '25.00'),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const lines = fc.array(
  fc.record({
    quantity: fc.constantFrom(0.001, 0.5, 1.005, 3, 1_000),
    unitPrice: fc.constantFrom('0.00', '0.33', '4.99', '12.50'),
  }),
  { minLength: 1, maxLength: 4 },
)

/** An order, an invoice and two payments for it. */
async function documentsOver(sold: readonly object[], paid: string): Promise<Document[]> {
  const [clerk] = clerks
  if (clerk === undefined) throw new TypeError('There is no clerk')
  const order = await draftSales(clerk, 'trade.sales_order', (fields) => ({
    ...fields,
    lines: sold.map((line) => ({ ...fields.lines[0], ...line })),
  }))
  const invoice = await draft(clerk, 'trade.sales_invoice', order.payload.fields)
  const payment = () => draft(clerk, 'trade.customer_payment', { invoiceId: invoice.id, amount: paid })
  return [order, invoice, await payment(), await payment()]
}

/** Does a step on the document as it is; what the rules refuse is a refusal, and nothing is a fault. */
async function take({ code, who, which, amount }: Step, documents: Document[]): Promise<void> {
  const clerk = clerks[who]
  const document = documents[which % documents.length]
  if (clerk === undefined || document === undefined) throw new TypeError('There is nobody or nothing')
  const { documentVersion: expectedVersion } = await editorState(clerk, document)
  const body = { expectedVersion, payload: { amount }, reason: 'Lost' }
  const response = await execute(clerk, document, code, body)
  const answer = await bodyOf(response)
  expect([200, 404, 409]).toContain(response.status)
  const created = answer['createdDocument'] as Document | null | undefined
  if (created !== undefined && created !== null) documents.push(created)
}

test('the books are right after whatever was done, one by one and several at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.constantFrom('5.00', '100.00'),
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      async (sold, paid, rounds) => {
        const documents = await documentsOver(sold, paid)
        for (const round of rounds) await Promise.all(round.map((one) => take(one, documents)))
        await checkBooks(host.database)
      },
    ),
    { numRuns: 25 },
  )
})
