import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { hasEnded, heard, openGreeted, skipPings } from './greeted-client.ts'
import { connect, connectAndGreet, end } from './raw-client.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

const wait = (ms: number): void => {
  deployment.clock.nowMs += ms
}

test('a connection to which nothing was sent for 15 s gets a ping', async () => {
  const { client } = await openGreeted(deployment)
  wait(14_999)
  await heard(client)
  wait(15_000)
  expect(await client.next()).toEqual({ type: 6 })
})

test('a client of whom nothing was heard for 30 s is cut off; one that pings is not', async () => {
  const { client, replica, token } = await openGreeted(deployment)
  const { client: pinging } = await connectAndGreet(replica, token)
  for (const ms of [15_000, 14_999]) {
    wait(ms)
    pinging.send(`{"type":6}${end}`)
    await heard(pinging.socket.readyState === 1 ? skipPings(pinging) : pinging)
  }
  expect(client.socket.readyState).toBe(1)
  wait(1)
  expect((await client.closed()).code).toBe(1006)
  await hasEnded(replica, 'silent')
  expect(replica.realtime.connectionCount).toBe(1)
})

test('a ping of the socket counts as a sign of life', async () => {
  const { client } = await openGreeted(deployment)
  const ponged = new Promise((resolve) => client.socket.once('pong', resolve))
  wait(29_000)
  client.socket.ping()
  await ponged
  wait(29_000)
  await heard(skipPings(client))
})

test('a client that does not shake hands within 15 s is cut off without a word', async () => {
  const { replica, token } = await openGreeted(deployment)
  const client = await connect(replica, { token })
  wait(15_000)
  expect(await client.closed()).toEqual({ code: 1006, records: [] })
  await hasEnded(replica, 'no handshake')
})

test('a client that was told good-bye and does not close is cut off after 2 s', async () => {
  const { client, replica } = await openGreeted(deployment)
  client.socket.pause()
  client.send(`garbage${end}`)
  // In small steps, as nobody knows when the hub has read it.
  const isCutOff = (): boolean => {
    wait(200)
    return replica.realtime.connectionCount === 0
  }
  await expect.poll(isCutOff, { interval: 5, timeout: 10_000 }).toBe(true)
  await hasEnded(replica, 'malformed')
})
