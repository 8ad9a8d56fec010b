import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../vitest.free-port.ts'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { openDeployment } from './hosts.ts'
import { about, pageOf } from './page.ts'

/** With this long interval, a page receives changes during a test only through announcements, not through checks. */
const rarely = { WorkCenter__RealtimeCheckInterval: '00:01:00' }
const beforeTheCheckMs = 50_000

async function twoReplicas() {
  const deployment = await openDeployment()
  onTestFinished(() => deployment.close())
  const one = await deployment.openReplica(rarely)
  // This replica does not poll the outbox during the test, so the first replica handles all events.
  const other = await deployment.openReplica({ ...rarely, WorkCenter__OutboxPollInterval: '01:00:00' })
  return { one, other }
}

test(
  'a change at one replica appears on pages of another replica',
  async () => {
    const { one, other } = await twoReplicas()
    const [clerk, clerk2] = [await pageOf(one, 'clerk'), await pageOf(other, 'clerk2')]
    const invoice = await postedInvoice(clerk.request)
    const task = await clerk2.item('tasks', about(invoice))
    const claim = { body: { expectedVersion: task.version } }
    await expectAnswer(clerk.request('POST', `/api/work-center/tasks/${task.id}/claim`, claim), 200)
    await clerk2.gone('tasks', about(invoice))
    await clerk2.isCurrent()
  },
  beforeTheCheckMs,
)

test(
  'at the end of a snooze, the task appears on an idle page, even if another replica detects the end',
  async () => {
    const { one, other } = await twoReplicas()
    const [clerk, page] = [await pageOf(one, 'clerk'), await pageOf(other, 'clerk')]
    const invoice = await postedInvoice(clerk.request)
    const { id } = await page.item('attention', about(invoice))
    const body = { snoozedUntilUtc: new Date(Date.now() + 1_000).toISOString() }
    await expectAnswer(clerk.request('POST', `/api/work-center/tasks/${id}/snooze`, { body }), 200)
    // Without the announcement, this call would wait for the next check and exceed the time limit of the test.
    expect(await page.item('attention', about(invoice))).toMatchObject({ id, snoozedUntilUtc: null })
    await page.isCurrent()
  },
  beforeTheCheckMs,
)

test('if a user is deactivated at one replica, the page of the user at another replica is disconnected', async () => {
  const deployment = await openDeployment()
  onTestFinished(() => deployment.close())
  const one = await deployment.openReplica()
  const other = await deployment.openReplica({ WorkCenter__RealtimeCheckInterval: '00:00:01' })
  const [leaving, staying] = [await pageOf(other, 'clerk2'), await pageOf(other, 'clerk')]
  const admin = await one.as('admin')
  const { items = [] } = await expectAnswer(admin('GET', '/api/security/users?limit=100'), 200)
  const user = items.find((item) => item['subject'] === 'clerk2')
  await expectAnswer(admin('POST', `/api/security/users/${user?.id}/deactivate`), 200)
  await leaving.ended
  expect(leaving.events).toEqual(['closed'])
  expect(staying.events).toEqual([])
})

test('each event is handled by only one replica', async () => {
  const deployment = await openDeployment()
  onTestFinished(() => deployment.close())
  const replicas = [await deployment.openReplica(), await deployment.openReplica()]
  const pages = await Promise.all(replicas.map((replica) => pageOf(replica, 'clerk')))
  const [page, elsewhere] = pages
  if (page === undefined || elsewhere === undefined) throw new TypeError('Two pages are required')
  const invoices = await Promise.all(Array.from({ length: 6 }, () => postedInvoice(page.request)))
  for (const invoice of invoices) {
    await elsewhere.item('tasks', about(invoice))
    await act(page.request, invoice, 'unpost')
  }
  for (const invoice of invoices) await elsewhere.item('completed', about(invoice))
  expect(await elsewhere.summary()).toMatchObject({ openTaskCount: 0 })
  const sql = postgres(deployment.databaseUrl, { max: 1 })
  onTestFinished(() => sql.end())
  // Six tasks were created and cancelled, which are twelve events. Each event was handled in one attempt.
  const attempts = await sql`
    select a.outcome, count(*)::int as attempts, count(distinct a.event_id)::int as events
    from core_audit.outbox_attempts a
    join core_audit.outbox_events e on e.id = a.event_id
    where e.type = 'document.action.completed'
    group by a.outcome`
  expect([...attempts]).toEqual([{ outcome: 'completed', attempts: 12, events: 12 }])
})

test('a replica without the notes notifies followers and mentioned users of notes of another replica', async () => {
  const deployment = await openDeployment()
  onTestFinished(() => deployment.close())
  // During a restart that changes a feature, each replica can handle the events of the others.
  const one = await deployment.openReplica({ FeatureManagement__Notes: 'true' }, { hasWorkers: false })
  const other = await deployment.openReplica({ FeatureManagement__Notes: 'false' })
  const [viewer, clerk2] = [await pageOf(other, 'viewer'), await pageOf(other, 'clerk2')]
  const clerk = await one.as('clerk')
  const { id, typeCode } = await draftSales(clerk, 'trade.sales_invoice')
  const object = `kind=Document&typeCode=${typeCode}&objectId=${id}`
  await expectAnswer(viewer.request('PUT', `/api/business-objects/watch?${object}`), 204)
  const { userId } = await expectAnswer(clerk2.request('GET', '/api/security/me/access'), 200)
  const body = { target: { kind: 'Document', typeCode, id }, text: `Please check, @[${userId}]` }
  await expectAnswer(clerk('POST', '/api/notes', { body }), 201)
  expect(await viewer.item('notifications', about({ id }))).toMatchObject({
    code: 'work_center.object_changed',
  })
  expect(await clerk2.item('notifications', about({ id }))).toMatchObject({ code: 'notes.mentioned' })
})

test('a page reconnects to a new replica at the same address and loads the current version', async () => {
  const deployment = await openDeployment()
  onTestFinished(() => deployment.close())
  const port = { PORT: String(await freePort()) }
  const one = await deployment.openReplica(port)
  const other = await deployment.openReplica()
  const [page, clerk] = [await pageOf(one, 'clerk2'), await pageOf(other, 'clerk')]
  await one.close()
  await page.until(() => page.events.includes('reconnecting') || undefined)
  const invoice = await postedInvoice(clerk.request)
  const { id } = await clerk.item('tasks', about(invoice))
  await deployment.openReplica(port)
  await page.until(() => page.events.includes('reconnected') || undefined)
  await page.isCurrent()
  expect(page.events).toEqual(['reconnecting', 'reconnected'])
  expect((await page.items('tasks')).map((item) => item.id)).toEqual([id])
})
