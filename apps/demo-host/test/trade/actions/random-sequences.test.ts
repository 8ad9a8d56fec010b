import fc from 'fast-check'
import { expect, test } from 'vitest'
import { act, type Document, editorState, execute } from '../../actions.ts'
import { bodyOf } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { checkBooks } from '../ledger/check-books.ts'
import { draft, draftSales, postedPayment } from './documents.ts'

const host = await openTradeHost()
const clerks = [await host.asRole('clerk', 'trade.clerk'), await host.asRole('clerk2', 'trade.clerk')]

/** One step executes an enabled action on a document. The numbers select the user, the document and the action. */
const step = fc.record({
  user: fc.nat({ max: 1 }),
  target: fc.nat({ max: 20 }),
  what: fc.nat({ max: 20 }),
  amount: fc.constantFrom('0.01', '1.00', '5.00', '12.50'),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const lines = fc.array(
  fc.record({
    quantity: fc.constantFrom(0.001, 0.5, 1.005, 3, 1_000),
    unitPrice: fc.constantFrom('0.00', '0.33', '4.99', '12.50'),
  }),
  { minLength: 1, maxLength: 4 },
)

/** Creates an order, an invoice, and two posted payments of the invoice. */
async function documentsOver(sold: readonly object[], paid: string): Promise<Document[]> {
  const [clerk] = clerks
  if (clerk === undefined) throw new TypeError('No clerk is available')
  const order = await draftSales(clerk, 'trade.sales_order', (fields) => ({
    ...fields,
    lines: sold.map((line) => ({ ...fields.lines[0], ...line })),
  }))
  const invoice = await draft(clerk, 'trade.sales_invoice', order.payload.fields)
  await act(clerk, invoice, 'post')
  return [
    order,
    invoice,
    await postedPayment(clerk, invoice, paid),
    await postedPayment(clerk, invoice, paid),
  ]
}

const done = new Set<string>()

/** Executes an enabled action. Accepts only success, and refusals that concurrent changes cause. */
async function runStep({ user, target, what, amount }: Step, documents: Document[]): Promise<void> {
  const clerk = clerks[user]
  const document = documents[target % documents.length]
  if (clerk === undefined || document === undefined) throw new TypeError('Clerk or document is missing')
  const { documentVersion: expectedVersion, actions } = await editorState(clerk, document)
  const allowed = actions.filter(
    ({ code, isAllowed, executionKind }) =>
      isAllowed && executionKind !== 'Navigation' && code !== 'mark_for_deletion',
  )
  // Prefer the type's own actions, because otherwise most steps would only post and unpost.
  const special = allowed.filter(({ code }) => code.startsWith('trade.'))
  const choices = [...allowed, ...special, ...special, ...special]
  const code = choices[what % choices.length]?.code
  if (code === undefined) return
  const body = { expectedVersion, payload: { amount }, reason: 'Lost' }
  const response = await execute(clerk, document, code, body)
  const { code: refusal, createdDocument } = await bodyOf(response)
  if (response.ok) done.add(code)
  else
    expect(refusal).toMatch(
      /^(documents\.version_conflict|document_action\.unavailable|trade\.amount_too_large)$/,
    )
  if (createdDocument) documents.push(createdDocument as Document)
}

test('the books stay consistent after random sequential and concurrent actions', async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.constantFrom('5.00', '100.00'),
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 12 }),
      async (sold, paid, rounds) => {
        const documents = await documentsOver(sold, paid)
        for (const round of rounds) await Promise.all(round.map((one) => runStep(one, documents)))
        await checkBooks(host.database)
      },
    ),
    { numRuns: 25 },
  )
  expect([...done].toSorted()).toEqual([
    'post',
    'repost',
    'trade.apply_payment',
    'trade.create_invoice',
    'trade.write_off',
    'unpost',
  ])
})
