import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  HubConnectionState,
  LogLevel,
} from '@microsoft/signalr'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

/** Collects values. Each call of `next` resolves with the next value. */
function inbox<T>() {
  const values: T[] = []
  let arrived = Promise.withResolvers<void>()
  return {
    put(value: T) {
      values.push(value)
      arrived.resolve()
      arrived = Promise.withResolvers()
    },
    async next(): Promise<T> {
      while (values.length === 0) await arrived.promise
      return values.shift() as T
    },
  }
}

/** Creates the published SignalR client with short retry delays. */
function signalr(replica: Pick<Replica, 'url'>, accessTokenFactory: () => Promise<string>) {
  const client = new HubConnectionBuilder()
    .withUrl(`${replica.url}/hubs/work-center`, {
      accessTokenFactory,
      transport: HttpTransportType.WebSockets,
    })
    .withAutomaticReconnect({ nextRetryDelayInMilliseconds: () => 10 })
    .configureLogging(LogLevel.None)
    .build()
  onTestFinished(() => client.stop())
  const versions = inbox<unknown[]>()
  const events = inbox<string>()
  client.on('workCenterChanged', (...received: unknown[]) => versions.put(received))
  client.onreconnecting(() => events.put('reconnecting'))
  client.onreconnected(() => events.put('reconnected'))
  client.onclose((error) => events.put(`closed: ${error?.message ?? ''}`))
  return { client, versions, events }
}

async function started(replica: Replica, account: TestAccount) {
  const connection = signalr(replica, () => deployment.token(account))
  await connection.client.start()
  return connection
}

test('the published client connects without changes, and receives the version as the only argument', async () => {
  const replica = await deployment.openReplica()
  const account = await deployment.addAccount()
  await deployment.commitVersion(account, 41)
  const { client, versions } = await started(replica, account)
  expect(client.state).toBe(HubConnectionState.Connected)
  expect(await versions.next()).toEqual([41])
  replica.realtime.publish(new Map([[account.userId, 42]]))
  expect(await versions.next()).toEqual([42])
})

test('the published client connects without negotiation', async () => {
  const replica = await deployment.openReplica()
  const account = await deployment.addAccount()
  const client: HubConnection = new HubConnectionBuilder()
    .withUrl(`${replica.url}/hubs/work-center`, {
      accessTokenFactory: () => deployment.token(account),
      transport: HttpTransportType.WebSockets,
      skipNegotiation: true,
    })
    .configureLogging(LogLevel.None)
    .build()
  await client.start()
  await client.stop()
})

test('the hub refuses a call of an unknown method, and the connection stays open', async () => {
  const replica = await deployment.openReplica()
  const { client } = await started(replica, await deployment.addAccount())
  await expect(client.invoke('deleteEverything', 1)).rejects.toThrow('The hub has no such method.')
  const streamed = Promise.withResolvers<unknown>()
  client.stream('everything').subscribe({ next: () => {}, complete: () => {}, error: streamed.resolve })
  expect(String(await streamed.promise)).toContain('The hub has no such method.')
  expect(client.state).toBe(HubConnectionState.Connected)
})

test.each(['bad', ''])('the published client cannot connect with the token %j', async (token) => {
  const replica = await deployment.openReplica()
  await expect(signalr(replica, async () => token).client.start()).rejects.toThrow(/401/)
})

test.each(['close', 'crash'] as const)(
  'after the %s of a replica, the client reconnects to a new replica at the same address and receives missed versions',
  async (way) => {
    const replica = await deployment.openReplica()
    const account = await deployment.addAccount()
    const { versions, events } = await started(replica, account)
    expect(await versions.next()).toEqual([0])
    await replica[way]()
    expect(await events.next()).toBe('reconnecting')
    await deployment.commitVersion(account, 1)
    const next = await deployment.openReplica({ port: replica.port })
    expect(await events.next()).toBe('reconnected')
    expect(await versions.next()).toEqual([1])
    next.realtime.publish(new Map([[account.userId, 2]]))
    expect(await versions.next()).toEqual([2])
  },
)

test('the client reconnects with a new token when the old token expires', async () => {
  const replica = await deployment.openReplica()
  const account = await deployment.addAccount()
  const { versions, events } = await started(replica, account)
  expect(await versions.next()).toEqual([0])
  deployment.clock.nowMs += 3_600_000
  expect([await events.next(), await events.next()]).toEqual(['reconnecting', 'reconnected'])
  expect(await versions.next()).toEqual([0])
})

test('the client does not reconnect after its account is deactivated', async () => {
  const replica = await deployment.openReplica({ config: { checkIntervalMs: 5 } })
  const account = await deployment.addAccount()
  const { client, versions, events } = await started(replica, account)
  await versions.next()
  await deployment.deactivate(account)
  expect(await events.next()).toContain(
    'closed: Server returned an error on close: This account has been deactivated.',
  )
  await expect(client.start()).rejects.toThrow(/403/)
})
