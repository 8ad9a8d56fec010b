import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { hasEnded, openGreeted, skipPings, untilRead } from './greeted-client.ts'
import { connect, connectAndGreet, end } from './raw-client.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

const wait = (ms: number): void => {
  deployment.clock.nowMs += ms
}

test('the hub sends a ping when it has sent nothing for 15 s', async () => {
  const { client } = await openGreeted(deployment)
  wait(14_999)
  await untilRead(client)
  wait(15_000)
  expect(await client.next()).toEqual({ type: 6 })
})

test('the hub terminates a client after 30 s of silence, but not a client that sends pings', async () => {
  const { client, replica, token } = await openGreeted(deployment)
  const { client: pinging } = await connectAndGreet(replica, token)
  for (const ms of [15_000, 14_999]) {
    wait(ms)
    pinging.send(`{"type":6}${end}`)
    await untilRead(pinging.socket.readyState === 1 ? skipPings(pinging) : pinging)
  }
  expect(client.socket.readyState).toBe(1)
  wait(1)
  expect((await client.closed()).code).toBe(1006)
  await hasEnded(replica, 'silent')
  expect(replica.realtime.connectionCount).toBe(1)
})

test('the hub does not terminate a client that sends WebSocket pings', async () => {
  const { client } = await openGreeted(deployment)
  const ponged = new Promise((resolve) => client.socket.once('pong', resolve))
  wait(29_000)
  client.socket.ping()
  await ponged
  wait(29_000)
  await untilRead(skipPings(client))
})

test('the hub terminates a client without a message if its handshake does not arrive within 15 s', async () => {
  const { replica, token } = await openGreeted(deployment)
  const client = await connect(replica, { token })
  wait(15_000)
  expect(await client.closed()).toEqual({ code: 1006, records: [] })
  await hasEnded(replica, 'no handshake')
})

test('the hub terminates a client that does not close its socket within 2 s after a close message', async () => {
  const { client, replica } = await openGreeted(deployment)
  client.socket.pause()
  client.send(`garbage${end}`)
  // The clock advances in small steps, because the test cannot observe when the hub has read the message.
  const isCutOff = (): boolean => {
    wait(200)
    return replica.realtime.connectionCount === 0
  }
  await expect.poll(isCutOff, { interval: 5, timeout: 10_000 }).toBe(true)
  await hasEnded(replica, 'malformed')
})

test('a jump of the database clock makes no client look silent', async () => {
  let aheadMs = 0
  let later = Promise.withResolvers<void>()
  let readCount = 0
  const replica = await deployment.openReplica({
    clocks: 'host',
    observe: (database) => ({
      ...database,
      clock: {
        ...database.clock,
        now() {
          readCount += 1
          if (readCount === 5) later.resolve()
          return database.clock.now() + aheadMs
        },
      },
    }),
  })
  const token = await deployment.token(await deployment.addAccount(), { expiresAtMs: Date.now() + 3_600_000 })
  const { client } = await connectAndGreet(replica, token)
  aheadMs = 600_000
  readCount = 0
  later = Promise.withResolvers()
  // Each sweep of the connections reads the clock once.
  await later.promise
  await untilRead(client)
})
