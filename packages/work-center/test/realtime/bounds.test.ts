import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import {
  connect,
  connectAndGreet,
  end,
  handshake,
  nextVersion,
  type RawClient,
  refusalOf,
} from './raw-client.ts'
import type { Replica, ReplicaOptions } from './replica.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

async function connected(config: ReplicaOptions['config'] = {}) {
  const replica = await deployment.openReplica({ config })
  const account = await deployment.addAccount()
  const token = await deployment.token(account)
  const { client } = await connectAndGreet(replica, token)
  return { replica, account, token, client }
}

const wait = (ms: number): void => {
  deployment.clock.nowMs += ms
}

/** Waits until the hub has read all that the client has sent so far. */
async function heard(client: RawClient): Promise<void> {
  client.send(`{"type":1,"invocationId":"heard","target":"a"}${end}`)
  expect(await client.next()).toMatchObject({ type: 3, invocationId: 'heard' })
}

const hasEnded = async (replica: Replica, reason: string): Promise<void> => {
  await expect
    .poll(() => replica.logLines.some((line) => line.includes(`"reason":"${reason}"`)), {
      interval: 5,
      timeout: 10_000,
    })
    .toBe(true)
}

describe('time', () => {
  test('a connection to which nothing was sent for 15 s gets a ping', async () => {
    const { client } = await connected()
    wait(14_999)
    await heard(client)
    wait(15_000)
    expect(await client.next()).toEqual({ type: 6 })
  })

  test('a client of whom nothing was heard for 30 s is cut off; one that pings is not', async () => {
    const { client, replica, token } = await connected()
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
    const { client } = await connected()
    const ponged = new Promise((resolve) => client.socket.once('pong', resolve))
    wait(29_000)
    client.socket.ping()
    await ponged
    wait(29_000)
    await heard(skipPings(client))
  })

  test('a client that does not shake hands within 15 s is cut off without a word', async () => {
    const { replica, token } = await connected()
    const client = await connect(replica, { token })
    wait(15_000)
    expect(await client.closed()).toEqual({ code: 1006, records: [] })
    await hasEnded(replica, 'no handshake')
  })
})

/** The same client, whose pings are passed over. */
function skipPings(client: RawClient): RawClient {
  const next = async (): Promise<unknown> => {
    const record = (await client.next()) as { type?: number }
    return record.type === 6 ? next() : record
  }
  return { ...client, next }
}

describe('size', () => {
  test('a message of 4 KiB is read, one byte more ends the connection', async () => {
    const { client } = await connected()
    const ping = `{"type":6}${end}`
    const whole = ping.replace('{', `{${' '.repeat(4096 - ping.length)}`)
    client.send(whole)
    await heard(client)
    client.send(` ${whole}`)
    expect((await client.closed()).code).toBe(1009)
  })

  test('a record that never ends is told so and sent away', async () => {
    const { client } = await connected()
    client.send('x'.repeat(4096))
    client.send('x')
    expect(await client.closed()).toEqual({
      code: 1009,
      records: [{ type: 7, error: 'The message is too long.' }],
    })
  })

  test('a message in more fragments than anybody needs ends the connection', async () => {
    const { client } = await connected()
    for (let index = 0; index < 20; index += 1) client.socket.send('', { fin: false })
    expect((await client.closed()).code).toBe(1008)
  })

  test('text that is no UTF-8 ends the connection', async () => {
    const { client } = await connected()
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect((await client.closed()).code).toBe(1007)
  })
})

describe('number', () => {
  const error = 'There are too many messages.'

  test('a hundred messages and records in 10 s are taken, and one more is told so and sent away', async () => {
    const { client } = await connected()
    // The handshake counted two.
    for (let index = 0; index < 48; index += 1) client.send(`{"type":6}${end}`)
    await heard(client)
    client.send(end)
    expect(await client.closed()).toEqual({ code: 1008, records: [{ type: 7, error }] })
  })

  test('after 10 s the count begins anew', async () => {
    const { client } = await connected()
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 47; index += 1) client.send(`{"type":6}${end}`)
      await heard(skipPings(client))
      wait(10_000)
    }
  })

  test('records count, however many a message holds', async () => {
    const { client } = await connected()
    client.send(`{"type":6}${end}`.repeat(99))
    expect((await client.closed()).records).toEqual([{ type: 7, error }])
  })

  test('pings of the socket count', async () => {
    const { client } = await connected()
    // In two goes: of sixty that come before the first is answered, the socket closes by itself.
    for (let index = 0; index < 50; index += 1) client.socket.ping()
    await heard(client)
    for (let index = 0; index < 49; index += 1) client.socket.ping()
    expect((await client.closed()).records).toEqual([{ type: 7, error }])
  })

  test('a user has 20 connections, and a place is free again once one has closed', async () => {
    const { replica, client, token } = await connected()
    const others = await Promise.all(Array.from({ length: 19 }, () => connect(replica, { token })))
    expect(await refusalOf(connect(replica, { token }))).toEqual([429, 'work_center.too_many_connections'])
    const other = await deployment.addAccount()
    await connect(replica, { token: await deployment.token(other) })
    client.socket.close()
    await client.closed()
    await expect.poll(() => replica.realtime.connectionCount, { interval: 5 }).toBe(others.length + 1)
    await connect(replica, { token })
  })

  test('of more that come at once than there are places, exactly so many get in', async () => {
    const replica = await deployment.openReplica({ config: { maxConnectionsPerUser: 3 } })
    const token = await deployment.token(await deployment.addAccount())
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => connect(replica, { token })))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(replica.realtime.connectionCount).toBe(3)
  })
})

describe('a client that does not read', () => {
  test('is cut off once what waits for it is past its bound, and others go on', async () => {
    const { replica, account, client } = await connected()
    const other = await deployment.addAccount()
    const { client: reader } = await connectAndGreet(replica, await deployment.token(other))
    client.socket.pause()
    let version = 0
    while (replica.realtime.connectionCount === 2) {
      for (let index = 0; index < 200; index += 1) {
        version += 1
        replica.realtime.publish(new Map([[account.userId, version]]))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    await hasEnded(replica, 'does not read')
    replica.realtime.publish(new Map([[other.userId, 1]]))
    expect(await nextVersion(reader)).toBe(1)
  })

  test('and asks all the same is cut off as well', async () => {
    const { replica, client } = await connected({ maxMessagesPerWindow: 1_000_000_000 })
    client.socket.pause()
    const call = `{"type":1,"target":"a","invocationId":"${'x'.repeat(120)}"}${end}`
    while (replica.realtime.connectionCount === 1) {
      if (client.socket.readyState === 1 && client.socket.bufferedAmount < 100_000)
        client.send(call.repeat(20))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await hasEnded(replica, 'does not read')
  })
})

test('a replica whose clients all broke a bound serves the next one', async () => {
  const { replica, client, token } = await connected()
  client.socket.send(Buffer.alloc(5_000))
  await client.closed()
  const next = await connect(replica, { token })
  next.send(handshake)
  expect(await next.next()).toEqual({})
})
