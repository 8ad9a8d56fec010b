import { createWorkCenter, realtimeOf } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment, type Replica } from '../work-center/hosts.ts'
import { until } from './until.ts'
import { invoice, sitDown } from './work-center-stage.ts'

let deployment: Deployment

beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

const samePort = ({ url }: Replica) => ({ PORT: new URL(url).port })

test('all stores of a session share a connection, which ends with the last of them', async () => {
  const desk = await sitDown(await deployment.openReplica(), 'clerk')
  const stores = [createWorkCenter(desk.session), createWorkCenter(desk.session)]
  await Promise.all(stores.map((store) => store.load()))
  const { $status } = realtimeOf(desk.session)
  await until($status, (status) => status === 'connected')
  stores[0]?.dispose()
  expect($status.get()).toBe('connected')
  stores[1]?.dispose()
  expect($status.get()).toBe('off')
})

test('a host that starts again is connected to again, and what happened meanwhile is shown', async () => {
  const first = await deployment.openReplica()
  const desk = await sitDown(first, 'clerk')
  const store = createWorkCenter(desk.session)
  await store.open('attention')
  await until(store.$realtime, (status) => status === 'connected')
  const other = await deployment.openReplica()
  await first.close()
  await until(store.$realtime, (status) => status === 'reconnecting')
  const posted = await invoice(await sitDown(other, 'clerk'))
  await deployment.openReplica(samePort(first))
  await until(store.$lists.attention, ({ items }) =>
    items.some(({ source }) => source.entityId === posted.id),
  )
  await until(store.$realtime, (status) => status === 'connected')
})

test('a first connection that fails is tried again', async () => {
  const first = await deployment.openReplica()
  const desk = await sitDown(first, 'clerk')
  await first.close()
  const ending = new AbortController()
  const realtime = realtimeOf(desk.session)
  const heard = Promise.withResolvers<number>()
  realtime.listen((version) => version !== null && heard.resolve(version), ending.signal)
  expect(realtime.$status.get()).toBe('connecting')
  await deployment.openReplica(samePort(first))
  await until(realtime.$status, (status) => status === 'connected')
  await heard.promise
  ending.abort()
  expect(realtime.$status.get()).toBe('off')
})

test('a token that ends ends the connection; the next one has a renewed token', async () => {
  const replica = await deployment.openReplica()
  let tokens = 0
  const desk = await sitDown(replica, 'clerk', {
    tokenFor: async () => {
      tokens += 1
      // The hub counts in seconds: the first two, for the negotiation and the socket, end within two of them.
      return tokens <= 2 ? replica.token('clerk', Date.now() + 2_000) : replica.token('clerk')
    },
  })
  const realtime = realtimeOf(desk.session)
  realtime.listen(() => {}, desk.session.signal)
  await until(realtime.$status, (status) => status === 'connected')
  await until(realtime.$status, (status) => status === 'reconnecting')
  await until(realtime.$status, (status) => status === 'connected')
  expect(tokens).toBeGreaterThanOrEqual(4)
})

test('a token that is refused is renewed for the next try', async () => {
  const replica = await deployment.openReplica()
  let token = 'refused'
  const tokenFor = async ({ refresh }: { readonly refresh: boolean }) => {
    if (refresh) token = await replica.token('clerk')
    return token
  }
  const { session, asks } = await sitDown(replica, 'clerk', { tokenFor })
  const realtime = realtimeOf(session)
  realtime.listen(() => {}, session.signal)
  await until(realtime.$status, (status) => status === 'connected')
  expect(asks.map(({ refresh }) => refresh)).toEqual([false, true, false])
})
