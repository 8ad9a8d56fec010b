import { realtimeStore, workCenterStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, type Host, openDeployment } from '../host/deployment.ts'
import { postedInvoice, signIn } from '../signed-in.ts'
import { until } from './until.ts'

let deployment: Deployment

beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

const samePort = ({ url }: Host) => ({ PORT: new URL(url).port })

test('all stores of a session share one connection, which is closed when the last store ends', async () => {
  const desk = await signIn(await deployment.openHost(), 'clerk')
  const stores = [workCenterStore(desk.session), workCenterStore(desk.session)]
  await Promise.all(stores.map((store) => store.load()))
  const { $status } = realtimeStore(desk.session)
  await until($status, (status) => status === 'connected')
  stores[0]?.dispose()
  expect($status.get()).toBe('connected')
  stores[1]?.dispose()
  expect($status.get()).toBe('off')
})

test('the store reconnects to a restarted host, and shows the changes that it missed', async () => {
  const first = await deployment.openHost()
  const desk = await signIn(first, 'clerk')
  const store = workCenterStore(desk.session)
  await store.open('attention')
  await until(store.$realtime, (status) => status === 'connected')
  const other = await deployment.openHost()
  await first.close()
  await until(store.$realtime, (status) => status === 'reconnecting')
  const posted = await postedInvoice(other, (await signIn(other, 'clerk')).client)
  await deployment.openHost(samePort(first))
  await until(store.$lists.attention, ({ items }) =>
    items.some(({ source }) => source.entityId === posted.id),
  )
  await until(store.$realtime, (status) => status === 'connected')
})

test('the connection is retried if the first attempt fails', async () => {
  const first = await deployment.openHost()
  const desk = await signIn(first, 'clerk')
  await first.close()
  const ending = new AbortController()
  const realtime = realtimeStore(desk.session)
  const received = Promise.withResolvers<number>()
  realtime.listen((version) => version !== null && received.resolve(version), ending.signal)
  expect(realtime.$status.get()).toBe('connecting')
  await deployment.openHost(samePort(first))
  await until(realtime.$status, (status) => status === 'connected')
  await received.promise
  ending.abort()
  expect(realtime.$status.get()).toBe('off')
})

test('the connection ends when its token expires, and the next connection uses a new token', async () => {
  const host = await deployment.openHost()
  let tokens = 0
  const desk = await signIn(host, 'clerk', {
    accessToken: async () => {
      tokens += 1
      // The first two tokens are for the negotiation and the socket. Both expire within two seconds.
      return tokens <= 2 ? host.token('clerk', Date.now() + 2_000) : host.token('clerk')
    },
  })
  const realtime = realtimeStore(desk.session)
  realtime.listen(() => {}, desk.session.signal)
  await until(realtime.$status, (status) => status === 'connected')
  await until(realtime.$status, (status) => status === 'reconnecting')
  await until(realtime.$status, (status) => status === 'connected')
  expect(tokens).toBeGreaterThanOrEqual(4)
})

test('a refused token is renewed for the next connection attempt', async () => {
  const host = await deployment.openHost()
  let token = 'refused'
  const tokenFor = async ({ refresh }: { readonly refresh: boolean }) => {
    if (refresh) token = await host.token('clerk')
    return token
  }
  const { session, asks } = await signIn(host, 'clerk', { accessToken: tokenFor })
  const realtime = realtimeStore(session)
  realtime.listen(() => {}, session.signal)
  await until(realtime.$status, (status) => status === 'connected')
  expect(asks.map(({ refresh }) => refresh)).toEqual([false, true, false])
})

test('a listener that throws leaves no connection open', async () => {
  const oneConnection = { WorkCenter__MaxConnectionsPerUser: '1' }
  const first = await deployment.openHost(oneConnection)
  const { session } = await signIn(first, 'clerk')
  const realtime = realtimeStore(session)
  const thrown = Promise.withResolvers<void>()
  const ending = new AbortController()
  realtime.listen(() => {}, session.signal)
  realtime.listen((version) => {
    // With the second connection, the listeners learn that they may have missed changes.
    if (version !== null) return
    ending.abort()
    thrown.resolve()
    throw new Error('a fault of the page')
  }, ending.signal)
  await until(realtime.$status, (status) => status === 'connected')
  await first.close()
  await until(realtime.$status, (status) => status === 'reconnecting')
  await deployment.openHost({ ...samePort(first), ...oneConnection })
  await thrown.promise
  await until(realtime.$status, (status) => status === 'reconnecting')
  // The service accepts the third connection only after the end of the second.
  await until(realtime.$status, (status) => status === 'connected')
})
