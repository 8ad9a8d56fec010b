import { afterAll, beforeAll, expect, test } from 'vitest'
import { act } from '../../actions.ts'
import { draftSales } from '../actions/documents.ts'
import { type Desk, openDesk, taskOf } from './desk.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.close())

test.each(['0001-01-01', '9999-12-31'])(
  'the due date %s, a bound of all accepted dates, becomes the due day of the task',
  async (dueDate) => {
    const clerk = await desk.as('clerk')
    const invoice = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({ ...fields, dueDate }))
    await act(clerk, invoice, 'post')
    await desk.openProcessor().run()
    expect(await taskOf(desk.database, 'trade.collect_payment', invoice)).toMatchObject({
      status: 'Open',
      due_on: dueDate,
    })
  },
)
