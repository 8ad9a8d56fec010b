import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { startPostgresProxy } from '@vertical-kit/core-audit/testing'
import type { PostgresServer } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startOwnPostgres } from '../../../../vitest.own-postgres.ts'
import { isCanary, openListeningSession } from '../../src/realtime/listening-session.ts'
import { keyOf } from '../../src/realtime/object-key.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { change, createPapers, nextNumber, subscribe } from './papers.ts'
import { connectAndGreet, nextVersion } from './raw-client.ts'
import type { Replica, ReplicaOptions } from './replica.ts'

// These tests use a separate server, because they stop it.
let server: PostgresServer
let deployment: Deployment
beforeAll(async () => {
  server = await startOwnPostgres()
  deployment = await openDeployment(server.adminUrl)
})
afterAll(async () => {
  await deployment.close()
  await server.stop()
})

/** Wraps a database so that it sends no announcements. */
const mute = (database: Database): Database => ({ ...database, statement: async () => [] as never })

/** Opens a listening replica with a client that has received version 1. */
async function listening(options: ReplicaOptions = {}) {
  const replica = await deployment.openReplica(options)
  onTestFinished(() => replica.close())
  const [pid] = await deployment.listeners(1)
  const account = await deployment.addAccount()
  await deployment.commitVersion(account, 1)
  const { client } = await connectAndGreet(replica, await deployment.token(account))
  return { replica, client, account, pid: pid ?? 0 }
}

const logged = (replica: Replica, text: string): number =>
  replica.logLines.filter((line) => line.includes(text)).length

describe('when every announcement is lost, the periodic check', () => {
  test('sends versions', async () => {
    const { client, account } = await listening({ observe: mute, config: { checkIntervalMs: 5 } })
    for (const version of [2, 3]) {
      await deployment.commitVersion(account, version)
      expect(await nextVersion(client)).toBe(version)
    }
  })

  test('closes the connections of a deactivated account, and keeps all other connections', async () => {
    const { client, account, replica } = await listening({ observe: mute, config: { checkIntervalMs: 5 } })
    const other = await connectAndGreet(replica, await deployment.token(await deployment.addAccount()))
    const second = await connectAndGreet(replica, await deployment.token(account))
    await deployment.deactivate(account)
    const last = { code: 1008, records: [{ type: 7, error: 'This account has been deactivated.' }] }
    expect(await client.closed()).toEqual(last)
    expect(await second.client.closed()).toEqual(last)
    expect(other.client.socket.readyState).toBe(1)
  })
})

describe('after the database has lost commits, the periodic check', () => {
  test('asks the pages of a user whose version became lower to reconnect, and sends later versions again', async () => {
    const { client, account, replica } = await listening({ config: { checkIntervalMs: 5 } })
    const token = await deployment.token(account)
    await deployment.commitVersion(account, 9)
    expect(await nextVersion(client)).toBe(9)
    await deployment.commitVersion(account, 4)
    const records = [{ type: 7, allowReconnect: true }]
    expect(await client.closed()).toEqual({ code: 1001, records })
    const again = await connectAndGreet(replica, token)
    expect(again.version).toBe(4)
    await deployment.commitVersion(account, 5)
    expect(await nextVersion(again.client)).toBe(5)
  })
})

describe('a listener', () => {
  test('finds a lost change after the late announcement of an earlier one that its subscription has counted', async () => {
    const papers = await createPapers(deployment)
    const paper = await papers.add()
    const silent = createDatabase({ ...databaseDefaults, url: deployment.databaseUrl })
    onTestFinished(() => silent.close())
    const { client, pid } = await listening({ businessObjects: papers.businessObjects })
    await change(silent, paper)
    await subscribe(client, paper)
    await deployment.operator.notify('work_center_versions', JSON.stringify({ [keyOf(paper)]: 1 }))
    await nextNumber(client, paper)
    await change(silent, paper)
    await deployment.operator`select pg_terminate_backend(${pid}, 10000)`
    await nextNumber(client, paper)
  })

  test('listens again and receives lost versions after the server terminates its connection', async () => {
    const { replica, client, account, pid } = await listening()
    await deployment.commitVersion(account, 2)
    await deployment.operator`select pg_terminate_backend(${pid}, 10000)`
    expect(await nextVersion(client)).toBe(2)
    expect(await deployment.listeners(1)).not.toContain(pid)
    expect(logged(replica, 'Not receiving changes')).toBe(1)
    expect(logged(replica, 'Receiving changes of other replicas again')).toBe(1)
    await deployment.operator.notify('work_center_versions', JSON.stringify({ [account.userId]: 3 }))
    expect(await nextVersion(client)).toBe(3)
  })

  test('listens again and receives lost versions after the server restarts', async () => {
    const { replica, client, account } = await listening()
    await deployment.commitVersion(account, 2)
    const whileDown = () =>
      expect.poll(() => logged(replica, 'Not receiving changes'), { interval: 5 }).toBe(1)
    await server.restart({ mode: 'immediate', whileDown })
    expect(await nextVersion(client)).toBe(2)
    await deployment.listeners(1)
    await deployment.operator.notify('work_center_versions', JSON.stringify({ [account.userId]: 3 }))
    expect(await nextVersion(client)).toBe(3)
    expect(client.socket.readyState).toBe(1)
  })

  test('starts to listen as soon as an unavailable server becomes available', async () => {
    let replica: Replica | undefined
    await server.restart({
      async whileDown() {
        replica = await deployment.openReplica()
        await expect.poll(() => replica && logged(replica, 'Not receiving changes'), { interval: 5 }).toBe(1)
      },
    })
    onTestFinished(() => replica?.close())
    await deployment.listeners(1)
  })

  test('replaces its connection when the connection becomes silent', async () => {
    const proxy = await startPostgresProxy(deployment.databaseUrl)
    onTestFinished(() => proxy.stop())
    const config = { databaseUrl: proxy.url, canaryIntervalMs: 150 }
    const { replica, client, account, pid } = await listening({ config })
    await deployment.commitVersion(account, 2)
    proxy.silence()
    expect(await nextVersion(client)).toBe(2)
    expect(logged(replica, 'did not receive its own canary')).toBeGreaterThan(0)
    await deployment.operator`select pg_terminate_backend(${pid}, 10000)`
  })

  test('keeps its connection while its canaries arrive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const channel = 'canaries'
    let canaryOnServer = Promise.withResolvers<void>()
    let marker = Promise.withResolvers<void>()
    const watcher = await deployment.operator.listen(channel, (payload) => {
      if (isCanary(payload)) canaryOnServer.resolve()
    })
    const listening = Promise.withResolvers<void>()
    const losses: unknown[] = []
    const canaryIntervalMs = 60_000
    const session = openListeningSession({
      ...{ url: deployment.databaseUrl, channel, canaryIntervalMs },
      onListening: listening.resolve,
      onPayload: () => marker.resolve(),
      onLost: (cause) => losses.push(cause),
    })
    onTestFinished(() => session.close())
    await listening.promise
    for (const round of [1, 2, 3]) {
      vi.advanceTimersByTime(canaryIntervalMs)
      await canaryOnServer.promise
      // Notifications keep their order, so the session has received the canary when it receives the marker.
      await deployment.operator.notify(channel, `marker ${round}`)
      await marker.promise
      canaryOnServer = Promise.withResolvers()
      marker = Promise.withResolvers()
    }
    vi.advanceTimersByTime(canaryIntervalMs)
    await watcher.unlisten()
    expect(losses).toEqual([])
  })
})
