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

const refused = (invocationId: string) => ({ type: 3, invocationId, error: 'The hub has no such method.' })

describe('the handshake', () => {
  test('is accepted with an empty record as the response', async () => {
    const client = await open()
    client.send(handshake)
    expect(await client.next()).toEqual({})
  })

  test('can arrive in several messages, or in one message with later records', async () => {
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
  ])('with the request %j is refused with an error', async (request, error) => {
    const client = await open()
    client.send(JSON.stringify(request) + end)
    expect(await client.closed()).toEqual({ code: 1008, records: [{ error }] })
  })

  test('with malformed JSON is refused with an error', async () => {
    const client = await open()
    client.send(`GET / HTTP/1.1${end}`)
    expect((await client.closed()).records).toEqual([{ error: 'Expected a handshake request.' }])
  })

  test('with an empty record is refused', async () => {
    const client = await open()
    client.send(end)
    expect((await client.closed()).records).toEqual([{ error: 'Expected a handshake request.' }])
  })
})

describe('a client that sends', () => {
  test.each([1, 4])('a call (type %d) with an id receives an error', async (type) => {
    const client = await greeted()
    client.send(call(type, { invocationId: 'a' }))
    expect(await client.next()).toEqual(refused('a'))
  })

  test.each([
    ['a call without an id', call(1, {})],
    ['a call with an id that is null', call(1, { invocationId: null })],
    ['an item of a stream', call(2, { invocationId: 'x', item: 1 })],
    ['a completion', call(3, { invocationId: 'x' })],
    ['the end of a stream', call(5, { invocationId: 'x' })],
    ['a ping', call(6, {})],
    ['a message of a later protocol', call(99, { invocationId: 'x' })],
  ])('%s receives no response and stays connected', async (_what, text) => {
    const client = await greeted()
    client.send(text + call(1, { invocationId: 'after' }))
    expect(await client.next()).toEqual(refused('after'))
  })

  test('several records in one message receives a response to each record', async () => {
    const client = await greeted()
    client.send(['a', 'b', 'c'].map((invocationId) => call(1, { invocationId })).join(''))
    expect([await client.next(), await client.next(), await client.next()]).toEqual(
      ['a', 'b', 'c'].map(refused),
    )
  })

  test('one record in several messages receives one response', async () => {
    const client = await greeted()
    const text = call(1, { invocationId: 'ä' })
    client.send(text.slice(0, 5))
    client.send(text.slice(5, 20))
    client.send(text.slice(20) + call(1, { invocationId: 'b' }))
    expect([await client.next(), await client.next()]).toEqual([refused('ä'), refused('b')])
  })

  test('a close message is disconnected', async () => {
    const client = await greeted()
    client.send(call(7, {}))
    expect(await client.closed()).toEqual({ code: 1000, records: [] })
  })

  test.each([
    ['malformed JSON', `{"type":${end}`],
    ['an array', `[1]${end}`],
    ['an object without a type', `{}${end}`],
    ['a type that is not a number', `{"type":"1"}${end}`],
    ['an id that is not a string', call(1, { invocationId: 1 })],
    ['an id of 129 characters', call(1, { invocationId: 'x'.repeat(129) })],
  ])('%s is disconnected with an error, and the hub does not allow it to reconnect', async (_what, text) => {
    const client = await greeted()
    client.send(text + call(1, { invocationId: 'after' }))
    const error = 'This message does not follow the protocol.'
    expect(await client.closed()).toEqual({ code: 1008, records: [{ type: 7, error }] })
  })

  test('a binary message is disconnected with an error', async () => {
    const client = await greeted()
    client.socket.send(Buffer.from(call(1, { invocationId: 'a' })))
    const error = 'Only text messages are supported.'
    expect(await client.closed()).toEqual({ code: 1003, records: [{ type: 7, error }] })
  })

  test('a binary message before the handshake receives a handshake error', async () => {
    const client = await open()
    client.socket.send(Buffer.from(handshake))
    expect((await client.closed()).records).toEqual([{ error: 'Only text messages are supported.' }])
  })
})

test('the hub never accepts compression', async () => {
  expect((await open()).socket.extensions).toBe('')
})

test('closing one client does not affect other clients', async () => {
  const client = await greeted()
  const other = await greeted()
  other.send('garbage'.repeat(10) + end)
  await other.closed()
  replica.realtime.publish(new Map([[account.userId, 1]]))
  expect(await nextVersion(client)).toBe(1)
})
