import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { connect, connectAndGreet, handshake, nextVersion } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica()
})
afterAll(() => deployment.close())

/** Somebody with a version, and a connection that has been told it. */
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

test('whoever connects is told the version as committed, and each one that follows', async () => {
  const { client, publish } = await connected(7)
  publish(8)
  expect(await nextVersion(client)).toBe(8)
  publish(9)
  expect(await nextVersion(client)).toBe(9)
})

test('a version that is no news is not sent', async () => {
  const { client, publish } = await connected(7)
  for (const version of [7, 3, 8, 8, 5, 9]) publish(version)
  expect([await nextVersion(client), await nextVersion(client)]).toEqual([8, 9])
})

test('a user of whom nothing was ever changed is at 0', async () => {
  const account = await deployment.addAccount()
  expect((await connectAndGreet(replica, await deployment.token(account))).version).toBe(0)
})

test('an announcement of one user is for all connections of that user, and for nobody else', async () => {
  const one = await connected(1)
  const other = await connected(1)
  const second = await connectAndGreet(replica, one.token)
  one.publish(2)
  expect(await nextVersion(one.client)).toBe(2)
  expect(await nextVersion(second.client)).toBe(2)
  other.publish(5)
  expect(await nextVersion(other.client)).toBe(5)
})

test('who reconnects is told what has been committed meanwhile, announced or not', async () => {
  const { account, token, client } = await connected(3)
  client.socket.close()
  await client.closed()
  await deployment.commitVersion(account, 4)
  expect((await connectAndGreet(replica, token)).version).toBe(4)
})

test('a connection that joins others of its user is told what they were told before', async () => {
  const { client, token, publish } = await connected(3)
  publish(9)
  expect(await nextVersion(client)).toBe(9)
  // What the database says is older than what was heard.
  expect((await connectAndGreet(replica, token)).version).toBe(9)
})

test('nothing is sent before the handshake, whatever is announced', async () => {
  const account = await deployment.addAccount()
  const client = await connect(replica, { token: await deployment.token(account) })
  replica.realtime.publish(new Map([[account.userId, 4]]))
  client.send(handshake)
  expect(await client.next()).toEqual({})
})

test('somebody who has no record yet is told 0, and follows once there is one', async () => {
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

test('a thousand changes in quick succession are told as one', async () => {
  const slow = await deployment.openReplica({ config: { quietMs: 50 } })
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(slow, await deployment.token(account))
  const told: number[] = []
  // The clock stands still, so that the greeting counts as just told.
  for (let version = 1; version <= 1_000; version += 1)
    slow.realtime.publish(new Map([[account.userId, version]]))
  while (told.at(-1) !== 1_000) told.push(await nextVersion(client))
  expect(told).toEqual([1_000])
})
