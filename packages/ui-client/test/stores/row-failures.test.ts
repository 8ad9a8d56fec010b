import type { WorkCenterItem } from '@vertical-kit/ui-client'
import { workCenterStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { held, openFaultyNetwork } from '../network/faulty-network.ts'
import { postedInvoice, signIn } from '../signed-in.ts'
import { until } from './until.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** The service is not reached, also by the repetitions of a request. */
const down = ['cut before', 'cut before', 'cut before', 'cut before'] as const

/** Opens the Work Center of a user who sees a new task. The test decides how the network fails. */
async function openTask() {
  const direct = await signIn(host, 'clerk2')
  const other = workCenterStore(direct.session)
  await other.open('attention')
  const posted = await postedInvoice(host, direct.client)
  const isTask = ({ source }: WorkCenterItem) => source.entityId === posted.id
  const item = (await until(other.$lists.attention, ({ items }) => items.some(isTask))).items.find(isTask)
  if (item === undefined) throw new Error('The task is not shown')
  const network = await openFaultyNetwork(host.url)
  const { session } = await signIn(host, 'clerk', { url: network.url })
  const store = workCenterStore(session)
  await store.open('attention')
  /** Claims the task without a connection. Returns the state of its row. */
  const claim = async () => {
    network.next(`/api/work-center/tasks/${item.id}`, ...down)
    await store.claim(item)
    return row()
  }
  const row = () => store.$rows.get().get(item.id)
  return { network, store, claim, row }
}

const unreachable = { status: 'failed', error: { code: 'client.unreachable' } }

test('the message of a change that did not reach the service disappears when the connection is back', async () => {
  const { network, store, claim, row } = await openTask()
  expect(await claim()).toMatchObject(unreachable)
  network.next('/api/work-center/summary', ...down)
  await store.load()
  expect(row()).toMatchObject(unreachable)
  await store.load()
  expect(store.$rows.get().size).toBe(0)
})

test('an answer that was requested before the failure does not remove its message', async () => {
  const { network, store, claim, row } = await openTask()
  const summary = held()
  network.next('/api/work-center/summary', summary)
  const loading = store.load()
  await summary.arrived
  expect(await claim()).toMatchObject(unreachable)
  summary.letGo()
  await loading
  expect(row()).toMatchObject(unreachable)
  await store.load()
  expect(row()).toBeUndefined()
})
