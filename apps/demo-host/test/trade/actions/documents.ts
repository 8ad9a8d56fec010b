import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { act, type Document } from '../../actions.ts'
import { type Body, expectAnswer } from '../../answers.ts'
import { salesFields } from '../harness.ts'

type Sales = Awaited<ReturnType<typeof salesFields>>

/** Creates a draft of the given type. */
export async function draft(request: TestRequest, typeCode: string, fields: object): Promise<Document> {
  const answer = request('POST', `/api/documents/${typeCode}`, { body: { fields } })
  return (await expectAnswer(answer, 201)) as Body & Document
}

/** Creates a draft order or invoice. Its total is 25.00 unless `change` replaces the lines. */
export async function draftSales(
  request: TestRequest,
  typeCode: 'trade.sales_order' | 'trade.sales_invoice',
  change: (fields: Sales) => object = (fields) => fields,
): Promise<Document> {
  return draft(request, typeCode, change(await salesFields(request)))
}

/** Creates and posts an invoice with a total of 25.00. */
export async function postedInvoice(request: TestRequest): Promise<Document> {
  return (await act(request, await draftSales(request, 'trade.sales_invoice'), 'post')).document
}

/** Creates and posts a payment for a posted invoice. */
export async function postedPayment(
  request: TestRequest,
  { id: invoiceId }: Document,
  amount: string,
): Promise<Document> {
  const payment = await draft(request, 'trade.customer_payment', { invoiceId, amount })
  return (await act(request, payment, 'post')).document
}
