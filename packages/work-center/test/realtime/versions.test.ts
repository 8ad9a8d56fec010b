import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { connect, connectAndGreet, handshake, nextVersion } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica()
  await deployment.listeners(1)
})
afterAll(() => deployment.close())

/** Creates a user with a version, and a connection that has received it. */
async function connected(startVersion: number) {
  const account = await deployment.addAccount()
  await deployment.commitVersion(account, startVersion)
  const token = await deployment.token(account)
  const { client, version } = await connectAndGreet(replica, token)
  expect(version).toBe(startVersion)
  return {
    account,
    token,
    client,
    publish: (at: number) => replica.realtime.publish(new Map([[account.userId, at]])),
  }
}

test('a new connection receives the committed version and all later versions', async () => {
  const { client, publish } = await connected(7)
  publish(8)
  expect(await nextVersion(client)).toBe(8)
  publish(9)
  expect(await nextVersion(client)).toBe(9)
})

test('a connection receives only versions that are higher than the last received version', async () => {
  const { client, publish } = await connected(7)
  for (const version of [7, 3, 8, 8, 5, 9]) publish(version)
  expect([await nextVersion(client), await nextVersion(client)]).toEqual([8, 9])
})

test('a connection of a user without changes receives version 0', async () => {
  const account = await deployment.addAccount()
  expect((await connectAndGreet(replica, await deployment.token(account))).version).toBe(0)
})

test('an announcement for a user reaches all their connections, and no connections of other users', async () => {
  const one = await connected(1)
  const other = await connected(1)
  const second = await connectAndGreet(replica, one.token)
  one.publish(2)
  expect(await nextVersion(one.client)).toBe(2)
  expect(await nextVersion(second.client)).toBe(2)
  other.publish(5)
  expect(await nextVersion(other.client)).toBe(5)
})

test('a client receives the committed version when it reconnects, even if no announcement arrived', async () => {
  const { account, token, client } = await connected(3)
  client.socket.close()
  await client.closed()
  await deployment.commitVersion(account, 4)
  expect((await connectAndGreet(replica, token)).version).toBe(4)
})

test('an additional connection receives the same version as the other connections of the user', async () => {
  const { account, client, token, publish } = await connected(3)
  await deployment.commitVersion(account, 9)
  publish(9)
  expect(await nextVersion(client)).toBe(9)
  expect((await connectAndGreet(replica, token)).version).toBe(9)
})

test('an announced version is not sent before the handshake', async () => {
  const account = await deployment.addAccount()
  const client = await connect(replica, { token: await deployment.token(account) })
  replica.realtime.publish(new Map([[account.userId, 4]]))
  client.send(handshake)
  expect(await client.next()).toEqual({})
})

test('a user without a record receives version 0, and receives later versions once a record exists', async () => {
  const checking = await deployment.openReplica({ config: { checkIntervalMs: 5 } })
  const { client, version } = await connectAndGreet(checking, await deployment.token({ subject: 'newcomer' }))
  expect(version).toBe(0)
  const [row] = await deployment.operator<{ id: string }[]>`
    insert into core_audit.users (id, subject, display_name)
    values (gen_random_uuid(), 'newcomer', 'Newcomer')
    returning id`
  await deployment.commitVersion({ subject: 'newcomer', userId: row?.id ?? '' }, 1)
  expect(await nextVersion(client)).toBe(1)
})

test('one message combines a thousand changes that follow each other quickly', async () => {
  const slow = await deployment.openReplica({ config: { quietMs: 50 } })
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(slow, await deployment.token(account))
  // The hub reads the versions as soon as it listens, and ends the connections of users whose commits are lost.
  await deployment.commitVersion(account, 1_000)
  const received: number[] = []
  // The clock does not advance, so the hub treats the first version as just sent.
  for (let version = 1; version <= 1_000; version += 1)
    slow.realtime.publish(new Map([[account.userId, version]]))
  while (received.at(-1) !== 1_000) received.push(await nextVersion(client))
  expect(received).toEqual([1_000])
})
