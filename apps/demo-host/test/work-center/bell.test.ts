import { afterAll, beforeAll, expect, test } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { type Deployment, openDeployment, type Replica } from './hosts.ts'
import { about, pageOf } from './page.ts'

let deployment: Deployment
let replica: Replica
beforeAll(async () => {
  deployment = await openDeployment()
  // With a poll interval of one hour, the host detects new events only through database notifications.
  replica = await deployment.openReplica({ WorkCenter__OutboxPollInterval: '01:00:00' })
})
afterAll(() => deployment?.close())

test('new and changed tasks appear on open pages before the outbox is polled', async () => {
  const clerk = await pageOf(replica, 'clerk')
  const invoice = await postedInvoice(clerk.request)
  expect(await clerk.item('tasks', about(invoice))).toMatchObject({ taskStatus: 'Open' })
  await act(clerk.request, invoice, 'unpost')
  expect(await clerk.item('completed', about(invoice))).toMatchObject({ taskStatus: 'Cancelled' })
})

test('if the claimer of a task is deactivated, other users see the task again before the outbox is polled', async () => {
  const [clerk, clerk2] = [await pageOf(replica, 'clerk'), await pageOf(replica, 'clerk2')]
  const invoice = await postedInvoice(clerk.request)
  const task = await clerk2.item('tasks', about(invoice))
  const claim = { body: { expectedVersion: task.version } }
  await expectAnswer(clerk2.request('POST', `/api/work-center/tasks/${task.id}/claim`, claim), 200)
  await clerk.gone('tasks', about(invoice))
  const { userId } = await expectAnswer(clerk2.request('GET', '/api/security/me/access'), 200)
  const admin = await replica.as('admin')
  await expectAnswer(admin('POST', `/api/security/users/${userId}/deactivate`), 200)
  await clerk.item('tasks', about(invoice))
})
