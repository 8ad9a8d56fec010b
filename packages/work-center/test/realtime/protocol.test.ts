import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import { connect, connectAndGreet, end, handshake, nextVersion, type RawClient } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
let account: TestAccount
beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica({ config: { maxConnectionsPerUser: 100 } })
  account = await deployment.addAccount()
})
afterAll(() => deployment.close())

const open = async (): Promise<RawClient> => connect(replica, { token: await deployment.token(account) })

const greeted = async (): Promise<RawClient> =>
  (await connectAndGreet(replica, await deployment.token(account))).client

const call = (type: number, rest: object): string =>
  JSON.stringify({ type, target: 'anything', arguments: [], ...rest }) + end

const refused = (invocationId: string) => ({ type: 3, invocationId, error: 'The hub has no methods.' })

describe('the handshake', () => {
  test('is answered with an empty record', async () => {
    const client = await open()
    client.send(handshake)
    expect(await client.next()).toEqual({})
  })

  test('may come in pieces, and with what follows it', async () => {
    const client = await open()
    for (const character of handshake.slice(0, -1)) client.send(character)
    client.send(end + call(6, {}))
    expect(await client.next()).toEqual({})
  })

  test.each([
    [{ protocol: 'messagepack', version: 1 }, 'Only the json protocol is supported.'],
    [{ protocol: 'json', version: 2 }, 'Only version 1 of the protocol is supported.'],
    [{ protocol: 'json', version: 0 }, 'Only version 1 of the protocol is supported.'],
    [{ protocol: 'json' }, 'Expected a handshake request.'],
    [{ type: 6 }, 'Expected a handshake request.'],
    [[], 'Expected a handshake request.'],
    [null, 'Expected a handshake request.'],
  ])('%j is refused in its answer', async (request, error) => {
    const client = await open()
    client.send(JSON.stringify(request) + end)
    expect(await client.closed()).toEqual({ code: 1008, records: [{ error }] })
  })

  test('garbage is refused in its answer', async () => {
    const client = await open()
    client.send(`GET / HTTP/1.1${end}`)
    expect((await client.closed()).records).toEqual([{ error: 'Expected a handshake request.' }])
  })

  test('an empty record is no handshake', async () => {
    const client = await open()
    client.send(end)
    expect((await client.closed()).records).toEqual([{ error: 'Expected a handshake request.' }])
  })
})

describe('a client that says', () => {
  test.each([1, 4])('a call (type %d) with an id is told that there is no such method', async (type) => {
    const client = await greeted()
    client.send(call(type, { invocationId: 'a' }))
    expect(await client.next()).toEqual(refused('a'))
  })

  test.each([
    ['a call without an id', call(1, {})],
    ['a call with an id that is null', call(1, { invocationId: null })],
    ['an item of a stream', call(2, { invocationId: 'x', item: 1 })],
    ['an answer', call(3, { invocationId: 'x' })],
    ['the end of a stream', call(5, { invocationId: 'x' })],
    ['a ping', call(6, {})],
    ['a message of a later protocol', call(99, { invocationId: 'x' })],
  ])('%s is not answered, and stays connected', async (_what, text) => {
    const client = await greeted()
    client.send(text + call(1, { invocationId: 'after' }))
    expect(await client.next()).toEqual(refused('after'))
  })

  test('several messages at once is answered each', async () => {
    const client = await greeted()
    client.send(['a', 'b', 'c'].map((invocationId) => call(1, { invocationId })).join(''))
    expect([await client.next(), await client.next(), await client.next()]).toEqual(
      ['a', 'b', 'c'].map(refused),
    )
  })

  test('one message in several is answered once', async () => {
    const client = await greeted()
    const text = call(1, { invocationId: 'ä' })
    client.send(text.slice(0, 5))
    client.send(text.slice(5, 20))
    client.send(text.slice(20) + call(1, { invocationId: 'b' }))
    expect([await client.next(), await client.next()]).toEqual([refused('ä'), refused('b')])
  })

  test('good-bye is let go', async () => {
    const client = await greeted()
    client.send(call(7, {}))
    expect(await client.closed()).toEqual({ code: 1000, records: [] })
  })

  test.each([
    ['garbage', `{"type":${end}`],
    ['what is no object', `[1]${end}`],
    ['no type', `{}${end}`],
    ['a type that is no number', `{"type":"1"}${end}`],
    ['an id that is no text', call(1, { invocationId: 1 })],
    ['an id of 129 characters', call(1, { invocationId: 'x'.repeat(129) })],
  ])('%s is told so and sent away for good', async (_what, text) => {
    const client = await greeted()
    client.send(text + call(1, { invocationId: 'after' }))
    const error = 'This message does not follow the protocol.'
    expect(await client.closed()).toEqual({ code: 1008, records: [{ type: 7, error }] })
  })

  test('something in binary is told so and sent away', async () => {
    const client = await greeted()
    client.socket.send(Buffer.from(call(1, { invocationId: 'a' })))
    const error = 'Only text messages are supported.'
    expect(await client.closed()).toEqual({ code: 1003, records: [{ type: 7, error }] })
  })

  test('something in binary before the handshake is told so in its answer', async () => {
    const client = await open()
    client.socket.send(Buffer.from(handshake))
    expect((await client.closed()).records).toEqual([{ error: 'Only text messages are supported.' }])
  })
})

test('compression is not agreed on', async () => {
  expect((await open()).socket.extensions).toBe('')
})

test('a client that is sent away disturbs no other', async () => {
  const client = await greeted()
  const other = await greeted()
  other.send('garbage'.repeat(10) + end)
  await other.closed()
  replica.realtime.publish(new Map([[account.userId, 1]]))
  expect(await nextVersion(client)).toBe(1)
})
