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

/** Values as they come in, to be awaited one by one. */
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

/** The client as it is published, with its own retries made short. */
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

test('connects unmodified, and its method is called with the version alone', async () => {
  const replica = await deployment.openReplica()
  const account = await deployment.addAccount()
  await deployment.commitVersion(account, 41)
  const { client, versions } = await started(replica, account)
  expect(client.state).toBe(HubConnectionState.Connected)
  expect(await versions.next()).toEqual([41])
  replica.realtime.publish(new Map([[account.userId, 42]]))
  expect(await versions.next()).toEqual([42])
})

test('without negotiation it connects as well', async () => {
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

test('a call of a method the hub does not have is refused, and the connection stays', async () => {
  const replica = await deployment.openReplica()
  const { client } = await started(replica, await deployment.addAccount())
  await expect(client.invoke('deleteEverything', 1)).rejects.toThrow('The hub has no methods.')
  const streamed = Promise.withResolvers<unknown>()
  client.stream('everything').subscribe({ next: () => {}, complete: () => {}, error: streamed.resolve })
  expect(String(await streamed.promise)).toContain('The hub has no methods.')
  expect(client.state).toBe(HubConnectionState.Connected)
})

test.each(['bad', ''])('start is refused with the token %j', async (token) => {
  const replica = await deployment.openReplica()
  await expect(signalr(replica, async () => token).client.start()).rejects.toThrow(/401/)
})

test.each(['close', 'crash'] as const)(
  'comes back after a %s of the replica, to another at its address, and is told what was missed',
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

test('comes back with a fresh token when the old one expires', async () => {
  const replica = await deployment.openReplica()
  const account = await deployment.addAccount()
  const { versions, events } = await started(replica, account)
  expect(await versions.next()).toEqual([0])
  deployment.clock.nowMs += 3_600_000
  expect([await events.next(), await events.next()]).toEqual(['reconnecting', 'reconnected'])
  expect(await versions.next()).toEqual([0])
})

test('stays away once its account is deactivated', async () => {
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
