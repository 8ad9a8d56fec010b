import { expect, test } from 'vitest'
import { act, effects, entriesInShort, execute, reasons } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draftSales } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

const postedOrder = async () =>
  (await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')).document

const events = async (typeCode: string, id: string) =>
  (
    await expectAnswer(
      clerk('GET', `/api/audit/events?kind=Document&typeCode=${typeCode}&objectId=${id}`),
      200,
    )
  ).items

test('posting an order writes its total to the commitment accounts and records the ordered quantities', async () => {
  const order = await postedOrder()
  expect(await entriesInShort(clerk, order)).toEqual([
    '9000 Order commitments 25.00 0.00',
    '9900 Order commitments, contra 0.00 25.00',
  ])
  const { registerMovements } = await effects(clerk, order)
  expect(registerMovements).toMatchObject([{ register: 'trade.ordered_items', quantity: '2.000' }])
})

test('the invoice of a posted order is a draft with the customer, due date and lines of the order', async () => {
  const draft = await draftSales(clerk, 'trade.sales_order')
  expect((await reasons(clerk, draft))['trade.create_invoice']).toEqual(['trade.order_not_posted'])
  await act(clerk, draft, 'post')
  const { document, documentVersion, createdDocument, actions } = await act(
    clerk,
    draft,
    'trade.create_invoice',
  )
  expect([document.id, document.status, documentVersion]).toEqual([draft.id, 'Posted', 3])
  expect(createdDocument).toMatchObject({
    typeCode: 'trade.sales_invoice',
    status: 'Draft',
    payload: { fields: draft.payload.fields },
  })
  const invoice = await expectAnswer(
    clerk('GET', `/api/documents/trade.sales_invoice/${createdDocument?.id}`),
    200,
  )
  expect(invoice).toEqual(createdDocument)
  const createInvoice = actions.find(({ code }) => code === 'trade.create_invoice')
  expect(createInvoice?.disabledReasons.map(({ code }) => code)).toEqual(['trade.order_already_invoiced'])

  const source = { id: draft.id, typeCode: draft.typeCode, number: draft.number }
  expect(await events('trade.sales_invoice', createdDocument?.id ?? '')).toMatchObject([
    { actionCode: 'documents.created', metadata: { number: createdDocument?.number, version: 1, source } },
  ])
  expect((await events('trade.sales_order', draft.id))[0]).toMatchObject({
    actionCode: 'trade.create_invoice',
    metadata: { createdDocument: { id: createdDocument?.id, number: createdDocument?.number } },
  })
})

test('an order cannot be unposted while an invoice of the order exists', async () => {
  const order = await postedOrder()
  const { createdDocument: invoice } = await act(clerk, order, 'trade.create_invoice')
  expect(await reasons(clerk, order)).toMatchObject({
    unpost: ['trade.order_already_invoiced'],
    repost: ['trade.order_already_invoiced'],
    'trade.create_invoice': ['trade.order_already_invoiced'],
  })
  for (const code of ['unpost', 'repost', 'trade.create_invoice']) {
    const answer = execute(clerk, order, code, { expectedVersion: 3 })
    const refusal = await expectAnswer(answer, 409, 'document_action.unavailable')
    expect(refusal['context']).toEqual({ reasonCodes: ['trade.order_already_invoiced'] })
  }
  expect((await clerk('DELETE', `/api/documents/trade.sales_invoice/${invoice?.id}`)).status).toBe(204)
  const again = await act(clerk, order, 'trade.create_invoice')
  expect(again.createdDocument?.id).not.toBe(invoice?.id)
  await act(clerk, again.createdDocument ?? order, 'mark_for_deletion')
  expect((await reasons(clerk, order))['unpost']).toEqual(['trade.order_already_invoiced'])
})

test('an order counts as invoiced only if an invoice was created from it, not if an invoice has the same fields', async () => {
  const [order, other] = [await postedOrder(), await postedOrder()]
  await act(clerk, other, 'trade.create_invoice')
  await draftSales(clerk, 'trade.sales_invoice', () => order.payload.fields)
  expect((await reasons(clerk, order))['trade.create_invoice']).toEqual([])
})

test('users without permission to create invoices cannot see or execute the action that creates an invoice', async () => {
  const order = await postedOrder()
  const permissions = ['document.trade.sales_order.view', 'document.trade.sales_order.post']
  const seller = await host.as({ subject: 'seller', permissions })
  expect(Object.keys(await reasons(seller, order))).toEqual(['post'])
  await expectAnswer(
    execute(seller, order, 'trade.create_invoice', { expectedVersion: 2 }),
    403,
    'document_action.forbidden',
  )
})
