import type { Preference } from '@vertical-kit/work-center/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { type Deployment, openDeployment } from './hosts.ts'
import { about, type Page, pageOf } from './page.ts'

let deployment: Deployment
let open: (user: string) => Promise<Page>

beforeAll(async () => {
  deployment = await openDeployment()
  const replica = await deployment.openReplica({ FeatureManagement__Notes: 'true' })
  open = (user) => pageOf(replica, user)
})
afterAll(() => deployment?.close())

const path = '/api/me/notification-preferences'

const set = ({ request }: Page, code: string, isEnabled: boolean) =>
  request('PUT', path, { body: { preferences: [{ code, channel: 'InApp', isEnabled }] } })

async function preferences({ request }: Page): Promise<readonly Preference[]> {
  return (await expectAnswer(request('GET', path), 200)) as unknown as Preference[]
}

test('users see only the preferences for tasks and notifications of their roles', async () => {
  const codes = async (user: string) => (await preferences(await open(user))).map(({ code }) => code)
  const conversation = ['work_center.object_changed', 'notes.mentioned']
  expect(await codes('clerk')).toEqual(['trade.collect_payment', 'trade.invoice_order', ...conversation])
  expect(await codes('viewer')).toEqual(['trade.invoice_settled', ...conversation])
  expect(await codes('auditor')).toEqual([
    ...['trade.invoice_settled', 'trade.write_off_recorded'],
    ...conversation,
  ])
  for (const user of ['manager', 'uploader']) expect(await codes(user)).toEqual(conversation)
  // Neither of them has an assigned role.
  for (const user of ['outsider', 'admin']) expect(await codes(user)).toEqual([])
  expect((await preferences(await open('auditor'))).slice(0, 2)).toMatchObject([
    {
      kind: 'Notification',
      category: 'Receivables',
      isEnabled: true,
      userCanDisable: true,
      isMandatory: false,
    },
    {
      kind: 'Notification',
      category: 'Receivables',
      isEnabled: true,
      userCanDisable: false,
      isMandatory: true,
    },
  ])
})

test('users cannot switch off mandatory notifications and cannot set preferences of other roles', async () => {
  const [auditor, viewer] = [await open('auditor'), await open('viewer')]
  await expectAnswer(set(auditor, 'trade.write_off_recorded', false), 409, 'work_center.preference_mandatory')
  await expectAnswer(
    set(viewer, 'trade.write_off_recorded', false),
    403,
    'work_center.preference_not_applicable',
  )
  await expectAnswer(set(viewer, 'trade.collected', false), 400, 'work_center.preference_unknown')
})

test('after a user switches a notification type off, only other users receive such notifications', async () => {
  const [clerk, viewer, auditor] = [await open('clerk'), await open('viewer'), await open('auditor')]
  const settle = async () => {
    const invoice = await postedInvoice(clerk.request)
    const payment = await postedPayment(clerk.request, invoice, '25.00')
    await act(clerk.request, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
    await auditor.item('notifications', about(invoice))
    return invoice
  }
  await expectAnswer(set(viewer, 'trade.invoice_settled', false), 200)
  const muted = await settle()
  expect((await viewer.items('notifications')).filter(about(muted))).toEqual([])
  await expectAnswer(set(viewer, 'trade.invoice_settled', true), 200)
  const shown = await settle()
  expect(await viewer.item('notifications', about(shown))).toMatchObject({ code: 'trade.invoice_settled' })
  expect((await viewer.items('notifications')).filter(about(muted))).toEqual([])
})

test('after a user switches a task type off, the user keeps existing tasks and receives no new tasks of that type', async () => {
  const [clerk, clerk2] = [await open('clerk'), await open('clerk2')]
  const before = await postedInvoice(clerk.request)
  await clerk2.item('tasks', about(before))
  await expectAnswer(set(clerk2, 'trade.collect_payment', false), 200)
  const after = await postedInvoice(clerk.request)
  await clerk.item('tasks', about(after))
  expect((await clerk2.items('tasks')).filter(about(after))).toEqual([])
  expect((await clerk2.items('tasks')).filter(about(before))).toHaveLength(1)
  await expectAnswer(set(clerk2, 'trade.collect_payment', true), 200)
})
