import { expect, test } from 'vitest'
import { tradeActionPermissions } from '../../../src/trade/actions/trade-document-types.ts'
import { act, editorState, execute, reasons } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draftSales, postedInvoice, postedPayment } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

test('the list of action permissions contains the permissions of all actions', () => {
  const lifecycle = ['post', 'unpost', 'repost', 'mark_for_deletion']
  const all = ['sales_order', 'sales_invoice', 'customer_payment'].map((name) => `trade.${name}`)
  expect([...tradeActionPermissions].toSorted()).toEqual(
    [
      ...[...all, 'general_journal_entry'].flatMap((type) =>
        lifecycle.map((action) => `document.${type}.${action}`),
      ),
      'document.trade.sales_invoice.write_off',
      'document.trade.sales_invoice.open_customer',
      'document.trade.customer_payment.apply_payment',
    ].toSorted(),
  )
})

test.each(['trade.viewer', 'trade.auditor'])(
  'users with the role %s can see documents but no actions',
  async (role) => {
    const request = await host.asRole(role, role)
    const invoice = await postedInvoice(clerk)
    const payment = await postedPayment(clerk, invoice, '1.00')
    for (const document of [invoice, payment]) {
      expect((await editorState(request, document)).actions).toEqual([])
      const answer = execute(request, document, 'unpost', { expectedVersion: 2 })
      await expectAnswer(answer, 403, 'document_action.forbidden')
    }
  },
)

test('clerks see all actions in a fixed order, and every disabled action has a reason', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  expect(Object.entries(await reasons(clerk, invoice))).toEqual([
    ['post', []],
    ['unpost', ['document.not_posted']],
    ['repost', ['document.not_posted']],
    ['trade.write_off', ['trade.invoice_not_posted']],
    ['trade.open_customer', []],
    ['mark_for_deletion', []],
    ['unmark_for_deletion', ['document.not_marked_for_deletion']],
  ])
})

test('if a caller cannot see invoices, the actions of an order do not reveal whether the order has an invoice', async () => {
  const permissions = ['view', 'post', 'mark_for_deletion'].map(
    (action) => `document.trade.sales_order.${action}`,
  )
  const seller = await host.as({ subject: 'seller', permissions })
  const looks = async (isInvoiced: boolean) => {
    const order = await draftSales(clerk, 'trade.sales_order')
    await act(clerk, order, 'post')
    if (isInvoiced) await act(clerk, order, 'trade.create_invoice')
    return (await editorState(seller, order)).actions
  }
  expect(await looks(true)).toEqual(await looks(false))
})
