import type { Item } from '@vertical-kit/work-center/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { act, type Document } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import type { Request } from '../demo-process.ts'
import { draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { type Deployment, openDeployment } from './hosts.ts'
import { about, type Page, pageOf } from './page.ts'

let deployment: Deployment
let open: (user: string) => Promise<Page>

beforeAll(async () => {
  deployment = await openDeployment()
  const replica = await deployment.openReplica()
  open = (user) => pageOf(replica, user)
})
afterAll(() => deployment?.close())

const pay = async (clerk: Request, invoice: Document, amount: string): Promise<Document> => {
  const payment = await postedPayment(clerk, invoice, amount)
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount } })
  return payment
}

const claim = ({ id, version: expectedVersion }: Item) =>
  ['POST', `/api/work-center/tasks/${id}/claim`, { body: { expectedVersion } }] as const

test('both clerks receive the task of a posted invoice, one claims it, and a full payment completes it and notifies viewers', async () => {
  const [clerk, clerk2, viewer] = [await open('clerk'), await open('clerk2'), await open('viewer')]
  const invoice = await postedInvoice(clerk.request)
  const task = await clerk.item('attention', about(invoice))
  expect(task).toMatchObject({
    kind: 'Task',
    code: 'trade.collect_payment',
    title: `Collect payment for ${invoice.number}`,
    description: '25.00 in total',
    source: {
      resourceKind: 'document',
      resourceCode: 'trade.sales_invoice',
      entityId: invoice.id,
      title: `Sales invoice ${invoice.number}`,
      subtitle: 'Acme',
    },
    priority: 'High',
    taskStatus: 'Open',
    descriptionText: { key: 'trade.total', parameters: { total: '25.00' } },
    // The task is due on the day of the invoice: a payment on that day is not late in any time zone.
    dueOn: '2027-01-31',
    dueAtUtc: '2027-01-31T23:59:59.999Z',
    isOverdue: false,
    assignment: { isRoleAssigned: true, claimedByUserId: null },
    primaryActionCode: null,
    target: { code: 'trade.sales_invoice', parameters: { documentId: invoice.id } },
  })
  expect(await clerk2.item('tasks', about(invoice))).toEqual(task)

  expect(await expectAnswer(clerk.request(...claim(task)), 200)).toMatchObject({ taskStatus: 'InProgress' })
  await clerk2.gone('tasks', about(invoice))
  await expectAnswer(clerk2.request(...claim(task)), 409, 'work_center.task_claim_conflict')

  await pay(clerk2.request, invoice, '25.00')
  expect(await clerk.item('completed', about(invoice))).toMatchObject({ taskStatus: 'Completed' })
  expect((await clerk2.items('completed')).filter(about(invoice))).toEqual([])
  expect(await viewer.item('notifications', about(invoice))).toMatchObject({
    kind: 'Notification',
    code: 'trade.invoice_settled',
    severity: 'Success',
    title: `Invoice ${invoice.number} is settled`,
    description: 'Acme has paid the total of 25.00.',
    isRead: false,
    target: { code: 'trade.sales_invoice', parameters: { documentId: invoice.id } },
  })
  await viewer.isCurrent()
})

test('a page receives increasing versions, and the last version is the version of the summary', async () => {
  const clerk = await open('clerk')
  const { version: before } = await clerk.summary()
  const invoice = await postedInvoice(clerk.request)
  await clerk.item('attention', about(invoice))
  const { version, openTaskCount } = await clerk.summary()
  expect(version).toBeGreaterThan(before)
  await clerk.isCurrent()
  expect(clerk.versions).toEqual([...new Set(clerk.versions)].toSorted((one, other) => one - other))
  await act(clerk.request, invoice, 'unpost')
  await clerk.item('completed', about(invoice))
  expect(await clerk.summary()).toMatchObject({ openTaskCount: openTaskCount - 1, version: version + 1 })
})

test('unposting an invoice cancels its task, and posting it again reopens the task', async () => {
  const clerk = await open('clerk')
  const invoice = await postedInvoice(clerk.request)
  await clerk.item('tasks', about(invoice))
  await act(clerk.request, invoice, 'unpost')
  const cancelled = await clerk.item('completed', about(invoice))
  expect(cancelled).toMatchObject({ taskStatus: 'Cancelled' })
  await act(clerk.request, invoice, 'post')
  expect(await clerk.item('tasks', about(invoice))).toMatchObject({ id: cancelled.id, taskStatus: 'Open' })
})

test('unposting a payment reopens the task of its invoice', async () => {
  const clerk = await open('clerk')
  const invoice = await postedInvoice(clerk.request)
  const payment = await pay(clerk.request, invoice, '25.00')
  await clerk.item('completed', about(invoice))
  await act(clerk.request, payment, 'unpost')
  expect(await clerk.item('tasks', about(invoice))).toMatchObject({ taskStatus: 'Open' })
})

test('writing off an invoice completes its task and notifies only auditors', async () => {
  const [clerk, auditor, viewer] = [await open('clerk'), await open('auditor'), await open('viewer')]
  const invoice = await postedInvoice(clerk.request)
  await pay(clerk.request, invoice, '20.00')
  await clerk.item('tasks', about(invoice))
  await act(clerk.request, invoice, 'trade.write_off', { reason: 'Too little to ask for' })
  expect(await auditor.item('notifications', about(invoice))).toMatchObject({
    code: 'trade.write_off_recorded',
    severity: 'Warning',
    title: `5.00 of invoice ${invoice.number} written off`,
    description: expect.stringContaining('Customer: Acme.'),
  })
  expect(await clerk.item('completed', about(invoice))).toMatchObject({ taskStatus: 'Completed' })
  expect((await viewer.items('notifications')).filter(about(invoice))).toEqual([])
})

test('creating an invoice completes the task of an order, and unposting the order cancels the task', async () => {
  const clerk = await open('clerk')
  const [order, other] = [
    await draftSales(clerk.request, 'trade.sales_order'),
    await draftSales(clerk.request, 'trade.sales_order'),
  ]
  await act(clerk.request, order, 'post')
  await act(clerk.request, other, 'post')
  expect(await clerk.item('tasks', about(order))).toMatchObject({
    code: 'trade.invoice_order',
    title: `Invoice order ${order.number}`,
    description: '25.00 in total',
    priority: 'Normal',
    dueAtUtc: null,
    primaryActionCode: 'trade.create_invoice',
  })
  await clerk.item('tasks', about(other))
  await act(clerk.request, order, 'trade.create_invoice')
  await act(clerk.request, other, 'unpost')
  expect(await clerk.item('completed', about(order))).toMatchObject({ taskStatus: 'Completed' })
  expect(await clerk.item('completed', about(other))).toMatchObject({ taskStatus: 'Cancelled' })
})

test('users without roles receive no tasks, notifications or versions', async () => {
  const [clerk, outsider] = [await open('clerk'), await open('outsider')]
  const invoice = await postedInvoice(clerk.request)
  const { id } = await clerk.item('tasks', about(invoice))
  for (const tab of ['attention', 'tasks', 'notifications', 'completed'] as const) {
    expect(await outsider.items(tab)).toEqual([])
  }
  expect(Object.values(await outsider.summary())).toEqual([0, 0, 0, 0, 0, 0])
  const read = outsider.request('POST', `/api/work-center/tasks/${id}/read`)
  await expectAnswer(read, 404, 'work_center.item_not_found')
  expect(outsider.versions.filter((version) => version > 0)).toEqual([])
})
