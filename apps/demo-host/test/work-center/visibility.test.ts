import { afterAll, beforeAll, expect, test } from 'vitest'
import { act } from '../actions.ts'
import { type Body, expectAnswer } from '../answers.ts'
import type { Request } from '../demo-process.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { type Deployment, openDeployment, type Replica } from './hosts.ts'
import { about, pageOf } from './page.ts'

let deployment: Deployment
let replica: Replica
let admin: Request

beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica()
  admin = await replica.as('admin')
})
afterAll(() => deployment?.close())

const named = async (path: string, name: string, value: string): Promise<Body> => {
  const body = await expectAnswer(admin('GET', path), 200)
  const found = (body as unknown as Body[]).find?.((one) => one[name] === value)
  const item = found ?? body.items?.find((one) => one[name] === value)
  if (item === undefined) throw new TypeError(`The list does not contain ${value}`)
  return item
}

test('for users without permission to view invoices, lists and counts contain no items about invoices', async () => {
  const [clerk, auditor] = [await pageOf(replica, 'clerk'), await pageOf(replica, 'auditor')]
  const invoice = await postedInvoice(clerk.request)
  await act(clerk.request, invoice, 'trade.write_off', { reason: 'Lost' })
  const { id } = await auditor.item('notifications', about(invoice))
  const role = await named('/api/security/roles', 'code', 'trade.auditor')
  const permissions = role['permissions'] as readonly string[]
  const grant = (list: readonly string[]) =>
    expectAnswer(
      admin('PUT', `/api/security/roles/${role.id}/permissions`, { body: { permissions: list } }),
      200,
    )

  await grant(permissions.filter((permission) => permission !== 'document.trade.sales_invoice.view'))
  await auditor.gone('notifications', about(invoice))
  expect(await auditor.summary()).toMatchObject({
    attentionCount: 0,
    notificationCount: 0,
    unreadNotificationCount: 0,
  })
  const read = () => auditor.request('POST', `/api/work-center/notifications/${id}/read`)
  await expectAnswer(read(), 404, 'work_center.item_not_found')

  await grant(permissions)
  await auditor.item('notifications', about(invoice))
  await expectAnswer(read(), 200)
})

test('if the claimer of a task loses the role, the task is open again for the other clerk', async () => {
  const [clerk, clerk2] = [await pageOf(replica, 'clerk'), await pageOf(replica, 'clerk2')]
  const invoice = await postedInvoice(clerk.request)
  const { id, version: expectedVersion } = await clerk2.item('tasks', about(invoice))
  await expectAnswer(
    clerk2.request('POST', `/api/work-center/tasks/${id}/claim`, { body: { expectedVersion } }),
    200,
  )
  await clerk.gone('tasks', about(invoice))
  const user = await named('/api/security/users?limit=100', 'subject', 'clerk2')
  const assign = (roleIds: readonly string[]) =>
    expectAnswer(admin('PUT', `/api/security/users/${user.id}/roles`, { body: { roleIds } }), 200)
  await assign([])
  expect(await clerk.item('tasks', about(invoice))).toMatchObject({ taskStatus: 'Open' })
  expect(await clerk2.items('tasks')).toEqual([])
  await assign((user['roles'] as readonly Body[]).map((role) => role.id))
})

test('the page of a deactivated user is disconnected', async () => {
  const viewer = await pageOf(replica, 'viewer')
  const user = await named('/api/security/users?limit=100', 'subject', 'viewer')
  await expectAnswer(admin('POST', `/api/security/users/${user.id}/deactivate`), 200)
  await viewer.ended
  expect(viewer.events).toEqual(['closed'])
})
