import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { connect, connectAndGreet, nextVersion, type RawClient, refusalOf } from './raw-client.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

async function opened() {
  const replica = await deployment.openReplica()
  onTestFinished(() => replica.close())
  const account = await deployment.addAccount()
  const token = await deployment.token(account)
  return { replica, account, token }
}

test('a closing replica asks its clients to reconnect, and closes their sockets', async () => {
  const { replica, token } = await opened()
  const { client } = await connectAndGreet(replica, token)
  await replica.close()
  expect(await client.closed()).toEqual({ code: 1001, records: [{ type: 7, allowReconnect: true }] })
  expect(replica.realtime.connectionCount).toBe(0)
  await deployment.listeners(0)
})

test('a closing replica sends no message to a client before its handshake', async () => {
  const { replica, token } = await opened()
  const client = await connect(replica, { token })
  await replica.close()
  expect(await client.closed()).toEqual({ code: 1001, records: [] })
})

test('a closing replica terminates clients that do not close within the grace period', async () => {
  const { replica, token } = await opened()
  const { client } = await connectAndGreet(replica, token)
  client.socket.pause()
  await replica.attached.close(1)
  await expect.poll(() => replica.realtime.connectionCount, { interval: 5 }).toBe(0)
  client.socket.resume()
  await client.closed()
})

test('a closing replica refuses new connections with service.unavailable', async () => {
  const { replica, token } = await opened()
  await replica.attached.close()
  expect(await refusalOf(connect(replica, { token }))).toEqual([503, 'service.unavailable'])
})

test('a closing replica first announces the published versions', async () => {
  const gate = Promise.withResolvers<void>()
  const replica = await deployment.openReplica({
    observe: (database) => ({
      ...database,
      statement: async (work) => gate.promise.then(() => database.statement(work)),
    }),
  })
  const { replica: other, account, token } = await opened()
  await deployment.listeners(2)
  const { client } = await connectAndGreet(other, token)
  replica.realtime.publish(new Map([[account.userId, 1]]))
  let isClosed = false
  const closed = replica.attached.close(10_000).then(() => {
    isClosed = true
  })
  await deployment.listeners(1)
  expect(isClosed).toBe(false)
  gate.resolve()
  await closed
  expect(await nextVersion(client)).toBe(1)
})

test('a blocked announcement delays the closing of a replica only until the grace period ends', async () => {
  const never = new Promise<never>(() => {})
  const replica = await deployment.openReplica({
    observe: (database) => ({ ...database, statement: () => never }),
  })
  replica.realtime.publish(new Map([[crypto.randomUUID(), 1]]))
  await replica.attached.close(1)
})

test('a connection ends when its token expires, and the hub allows the client to reconnect', async () => {
  const { replica, account } = await opened()
  const expiresAtMs = Math.floor(deployment.clock.nowMs / 1_000) * 1_000 + 60_000
  const { client } = await connectAndGreet(replica, await deployment.token(account, { expiresAtMs }))
  const { client: longer } = await connectAndGreet(replica, await deployment.token(account))
  // Each step is shorter than the silence limit of 30 s, so the limit is not reached while a ping is in transit.
  for (const nowMs of [expiresAtMs - 40_000, expiresAtMs - 20_000, expiresAtMs - 1, expiresAtMs]) {
    deployment.clock.nowMs = nowMs
    if (nowMs < expiresAtMs) await Promise.all([ping(client), ping(longer)])
  }
  const { code, records } = await client.closed()
  expect(code).toBe(1000)
  expect(records.at(-1)).toEqual({ type: 7, allowReconnect: true })
  expect(longer.socket.readyState).toBe(1)
})

/** Sends a ping and waits until the hub has received it. */
async function ping({ socket }: RawClient): Promise<void> {
  const ponged = new Promise((resolve) => socket.once('pong', resolve))
  socket.ping()
  await ponged
}
