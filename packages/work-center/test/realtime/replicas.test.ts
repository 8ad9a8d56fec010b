import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createLogger } from '@vertical-kit/core-audit/host'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { realtimeDefaults } from '../../src/realtime/config.ts'
import { createPostgresBackplane } from '../../src/realtime/postgres-backplane.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { connectAndGreet, nextVersion } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replicas: readonly Replica[]
beforeAll(async () => {
  deployment = await openDeployment()
  replicas = [await deployment.openReplica(), await deployment.openReplica(), await deployment.openReplica()]
  await deployment.listeners(3)
})
afterAll(() => deployment.close())

test('a version published on one replica reaches the connections of all replicas', async () => {
  const account = await deployment.addAccount()
  const token = await deployment.token(account)
  const connected = await Promise.all(replicas.map((replica) => connectAndGreet(replica, token)))
  for (const [index, replica] of replicas.entries()) {
    const version = index + 1
    replica.realtime.publish(new Map([[account.userId, version]]))
    for (const { client } of connected) expect(await nextVersion(client)).toBe(version)
  }
})

test('versions for 2,000 users are split into several announcements, which reach the first and the last user', async () => {
  const first = await deployment.addAccount()
  const last = await deployment.addAccount()
  const clients = await Promise.all(
    [first, last].map(async (account) =>
      connectAndGreet(replicas[1] as Replica, await deployment.token(account)),
    ),
  )
  const others = Array.from({ length: 1_998 }, () => [crypto.randomUUID(), Number.MAX_SAFE_INTEGER] as const)
  replicas[0]?.realtime.publish(new Map([[first.userId, 5], ...others, [last.userId, 6]]))
  expect(await nextVersion(clients[0]?.client as never)).toBe(5)
  expect(await nextVersion(clients[1]?.client as never)).toBe(6)
})

test('a burst of versions is announced in a few statements', async () => {
  let statementCount = 0
  const publishing = await deployment.openReplica({
    observe: (database) => ({
      ...database,
      statement(work) {
        statementCount += 1
        return database.statement(work)
      },
    }),
  })
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(replicas[0] as Replica, await deployment.token(account))
  for (let version = 1; version <= 1_000; version += 1) {
    publishing.realtime.publish(new Map([[account.userId, version]]))
  }
  let version = 0
  while (version < 1_000) version = await nextVersion(client)
  expect(statementCount).toBe(2)
})

test('each version is announced only once', async () => {
  const payloads: unknown[] = []
  const received = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const watcher = await deployment.operator.listen('work_center_versions', (payload) => {
    payloads.push(JSON.parse(payload))
    received[payloads.length - 1]?.resolve()
  })
  const ids = [crypto.randomUUID(), crypto.randomUUID()] as const
  for (const [index, id] of ids.entries()) {
    replicas[0]?.realtime.publish(new Map([[id, 1]]))
    await received[index]?.promise
  }
  await watcher.unlisten()
  expect(payloads).toEqual([{ [ids[0]]: 1 }, { [ids[1]]: 1 }])
})

test('only the highest version is announced if versions are published out of order', async () => {
  const [publishing, hearing] = replicas as [Replica, Replica]
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(hearing, await deployment.token(account))
  for (const version of [1, 9, 5]) publishing.realtime.publish(new Map([[account.userId, version]]))
  // In the pause after the announcement of another test, all three are collected.
  const first = await nextVersion(client)
  const heard = first === 9 ? [first] : [first, await nextVersion(client)]
  expect([[1, 9], [9]]).toContainEqual(heard)
})

test('a process without a hub announces committed versions', async () => {
  const database = createDatabase({ ...databaseDefaults, url: deployment.databaseUrl })
  onTestFinished(() => database.close())
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(replicas[0] as Replica, await deployment.token(account))
  const backplane = createPostgresBackplane({
    ...{ database, config: realtimeDefaults, logger: createLogger({ level: 'silent' }) },
    listenUrl: deployment.databaseUrl,
  })
  backplane.publish(new Map([[account.userId, 1]]))
  expect(await nextVersion(client)).toBe(1)
  await backplane.close(10_000)
})

test('a replica ignores and logs malformed announcements', async () => {
  const [replica] = replicas as [Replica]
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(replica, await deployment.token(account))
  const wrong = [
    '',
    'garbage',
    '[1]',
    '{"not-an-id":1}',
    `{"${account.userId}":-1}`,
    `{"${account.userId}":"2"}`,
  ]
  for (const payload of wrong) await deployment.operator.notify('work_center_versions', payload)
  replica.realtime.publish(new Map([[account.userId, 1]]))
  expect(await nextVersion(client)).toBe(1)
  const warnings = () => replica.logLines.filter((line) => line.includes('malformed announcement'))
  await expect.poll(() => warnings().length, { interval: 5 }).toBe(wrong.length)
  expect(warnings().join('')).not.toContain(account.userId)
})

test('a version with a failed announcement still reaches the connections of the same replica, and closes none', async () => {
  const replica = await deployment.openReplica({
    observe: (database) => ({
      ...database,
      statement: () => database.statement((tx) => tx.execute(sql`select 1 / 0`) as never),
    }),
  })
  const account = await deployment.addAccount()
  const { client } = await connectAndGreet(replica, await deployment.token(account))
  for (const version of [1, 2]) {
    replica.realtime.publish(new Map([[account.userId, version]]))
    expect(await nextVersion(client)).toBe(version)
  }
  await expect
    .poll(() => replica.logLines.filter((line) => line.includes('Announcing versions failed')).length, {
      interval: 5,
    })
    .toBe(2)
})
