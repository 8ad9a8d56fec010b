import type { WorkCenterItem } from '@vertical-kit/ui-client'
import { workCenterStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { openFaultyNetwork } from '../network/faulty-network.ts'
import { postedInvoice, signIn } from '../signed-in.ts'
import { until } from './until.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** The service is not reached, also by the repetitions of a request. */
const down = ['cut before', 'cut before', 'cut before', 'cut before'] as const

test('the message of a change that did not reach the service disappears when the connection is back', async () => {
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
  network.next(`/api/work-center/tasks/${item.id}`, ...down)
  await store.claim(item)
  expect(store.$rows.get().get(item.id)).toMatchObject({
    status: 'failed',
    error: { code: 'client.unreachable' },
  })
  network.next('/api/work-center/summary', ...down)
  await store.load()
  expect(store.$rows.get().get(item.id)).toMatchObject({ status: 'failed' })
  await store.load()
  expect(store.$rows.get().size).toBe(0)
})
