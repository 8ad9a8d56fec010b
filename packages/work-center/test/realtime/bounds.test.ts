import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { hasEnded, openGreeted, skipPings, untilRead } from './greeted-client.ts'
import { connect, end, handshake, refusalOf } from './raw-client.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

const wait = (ms: number): void => {
  deployment.clock.nowMs += ms
}

describe('the check of messages', () => {
  test('allows a message of 4 KiB, and closes the connection after a message with one more byte', async () => {
    const { client } = await openGreeted(deployment)
    const ping = `{"type":6}${end}`
    const whole = ping.replace('{', `{${' '.repeat(4096 - ping.length)}`)
    client.send(whole)
    await untilRead(client)
    client.send(` ${whole}`)
    expect((await client.closed()).code).toBe(1009)
  })

  test('closes the connection with an error if a record has no end', async () => {
    const { client } = await openGreeted(deployment)
    client.send('x'.repeat(4096))
    client.send('x')
    expect(await client.closed()).toEqual({
      code: 1009,
      records: [{ type: 7, error: 'The message is too long.' }],
    })
  })

  test('closes the connection after a message with too many fragments', async () => {
    const { client } = await openGreeted(deployment)
    for (let index = 0; index < 20; index += 1) client.socket.send('', { fin: false })
    expect((await client.closed()).code).toBe(1008)
  })

  test('closes the connection after a message with invalid UTF-8', async () => {
    const { client, replica } = await openGreeted(deployment)
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect((await client.closed()).code).toBe(1007)
    await hasEnded(replica, 'broken frame')
  })
})

describe('the limit of messages, records and connections', () => {
  const error = 'Too many messages were sent.'

  test('allows 100 messages and records in 10 s, and closes the connection with an error after one more', async () => {
    const { client } = await openGreeted(deployment)
    // The handshake counts as two, because it is one message and one record.
    for (let index = 0; index < 48; index += 1) client.send(`{"type":6}${end}`)
    await untilRead(client)
    client.send(end)
    expect(await client.closed()).toEqual({ code: 1008, records: [{ type: 7, error }] })
  })

  test('starts a new count after 10 s', async () => {
    const { client } = await openGreeted(deployment)
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 47; index += 1) client.send(`{"type":6}${end}`)
      await untilRead(skipPings(client))
      wait(10_000)
    }
  })

  test('counts each record of a message', async () => {
    const { client } = await openGreeted(deployment)
    client.send(`{"type":6}${end}`.repeat(99))
    expect((await client.closed()).records).toEqual([{ type: 7, error }])
  })

  test.each(['ping', 'pong'] as const)('counts each WebSocket %s', async (frame) => {
    const { client } = await openGreeted(deployment)
    // The frames are sent in two batches, because `ws` closes a socket after sixty unanswered pings.
    for (let index = 0; index < 50; index += 1) client.socket[frame]()
    await untilRead(client)
    for (let index = 0; index < 49; index += 1) client.socket[frame]()
    expect((await client.closed()).records).toEqual([{ type: 7, error }])
  })

  test('allows 20 connections per user, and another one after one of them is closed', async () => {
    const { replica, client, token } = await openGreeted(deployment)
    const others = await Promise.all(Array.from({ length: 19 }, () => connect(replica, { token })))
    expect(await refusalOf(connect(replica, { token }))).toEqual([429, 'work_center.too_many_connections'])
    const other = await deployment.addAccount()
    await connect(replica, { token: await deployment.token(other) })
    client.socket.close()
    await client.closed()
    await expect.poll(() => replica.realtime.connectionCount, { interval: 5 }).toBe(others.length + 1)
    await connect(replica, { token })
  })

  test('applies to connections that open concurrently', async () => {
    const replica = await deployment.openReplica({ config: { maxConnectionsPerUser: 3 } })
    const token = await deployment.token(await deployment.addAccount())
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => connect(replica, { token })))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(replica.realtime.connectionCount).toBe(3)
  })
})

test('a replica serves a new client after other clients have exceeded a limit', async () => {
  const { replica, client, token } = await openGreeted(deployment)
  client.socket.send(Buffer.alloc(5_000))
  await client.closed()
  const next = await connect(replica, { token })
  next.send(handshake)
  expect(await next.next()).toEqual({})
})
