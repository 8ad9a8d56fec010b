import { expect, test } from 'vitest'
import { act, editorState, effects } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draftSales } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

test('a dry run of a posting shows the entries, and the invoice stays a draft without entries', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const path = `/api/documents/${invoice.typeCode}/${invoice.id}/actions/post?dryRun=true`
  const shown = await expectAnswer(clerk('POST', path, { body: { expectedVersion: 1 } }), 200)
  expect(shown).toMatchObject({
    document: { status: 'Posted' },
    documentVersion: 2,
    effects: { accountingEntries: [{ debit: '25.00' }, { credit: '25.00' }] },
  })
  expect(await editorState(clerk, invoice)).toMatchObject({ document: invoice, documentVersion: 1 })
  expect((await effects(clerk, invoice)).accountingEntries).toEqual([])
})

test('dry runs of a derivation leave no gap in the numbers of invoices', async () => {
  const before = await draftSales(clerk, 'trade.sales_invoice')
  const order = (await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')).document
  const path = `/api/documents/${order.typeCode}/${order.id}/actions/trade.create_invoice?dryRun=true`
  for (const _ of [1, 2, 3]) {
    const { createdDocument } = await expectAnswer(clerk('POST', path, { body: { expectedVersion: 2 } }), 200)
    expect(createdDocument).toMatchObject({ number: '', display: 'Sales invoice', status: 'Draft' })
  }
  const { createdDocument } = await act(clerk, order, 'trade.create_invoice')
  expect(positionOf(createdDocument?.number)).toBe(positionOf(before.number) + 1)
})

const positionOf = (number = ''): number => Number(number.replace(/^\D+/, ''))
