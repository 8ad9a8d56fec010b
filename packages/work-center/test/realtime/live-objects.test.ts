import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { newId, recordAudit } from '@vertical-kit/core-audit'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import { captureLog, recordStatements, testCaller } from '@vertical-kit/core-audit/testing'
import { drizzle } from 'drizzle-orm/postgres-js'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createLiveObjects } from '../../src/realtime/live-objects.ts'
import type { ObjectSubscriber } from '../../src/realtime/object-rights.ts'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import { change, createPapers, eventOf, invoke, nextNumber, type Papers, subscribe } from './papers.ts'
import { connect, connectAndGreet, end, handshake, type RawClient } from './raw-client.ts'
import type { Replica, ReplicaOptions } from './replica.ts'

let deployment: Deployment
let papers: Papers
let here: Replica
let there: Replica
/** Its writes are not announced: no hub follows it. */
let silent: Database
beforeAll(async () => {
  deployment = await openDeployment()
  papers = await createPapers(deployment)
  here = await open()
  there = await open()
  await deployment.listeners(2)
  silent = createDatabase({ ...databaseDefaults, url: deployment.databaseUrl })
})
afterAll(async () => {
  await silent.close()
  await deployment.close()
})

const open = (options: ReplicaOptions = {}): Promise<Replica> =>
  deployment.openReplica({ businessObjects: papers.businessObjects, ...options })

interface Reader {
  readonly account: TestAccount
  readonly client: RawClient
}

async function reader(replica: Replica, account?: TestAccount): Promise<Reader> {
  const user = account ?? (await deployment.addAccount())
  const { client } = await connectAndGreet(replica, await deployment.token(user))
  return { account: user, client }
}

/** A replica that checks every few milliseconds. */
async function checking(): Promise<Replica> {
  const replica = await open({ config: { checkIntervalMs: 5 } })
  onTestFinished(() => replica.close())
  return replica
}

test('a commit on one replica is sent to the subscribed pages of another one, with rising numbers', async () => {
  const paper = await papers.add()
  const { client } = await reader(here)
  expect(await subscribe(client, paper)).toBe(true)
  const numbers: number[] = []
  for (const replica of [there, here, there]) {
    await change(replica.database, paper)
    numbers.push(await nextNumber(client, paper))
  }
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  expect(new Set(numbers).size).toBe(3)
})

test('one commit with several events of one object is one message, and other objects cause none', async () => {
  const [paper, other] = [await papers.add(), await papers.add()]
  const { client } = await reader(here)
  await subscribe(client, paper)
  await change(there.database, other)
  await change(there.database, paper, other, paper)
  await nextNumber(client, paper)
  expect(await invoke(client, 'unsubscribe', paper.kind, paper.typeCode, paper.id)).toMatchObject({ type: 3 })
})

test('a rolled back event is not sent', async () => {
  const paper = await papers.add()
  const { client } = await reader(here)
  await subscribe(client, paper)
  const undone = there.database.transaction(async (tx) => {
    await recordAudit(tx, eventOf(paper))
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await invoke(client, 'unsubscribe', paper.kind, paper.typeCode, paper.id)).not.toHaveProperty(
    'error',
  )
})

test('after unsubscribe, changes are no longer sent', async () => {
  const [paper, other] = [await papers.add(), await papers.add()]
  const { client } = await reader(here)
  await subscribe(client, paper)
  await subscribe(client, other)
  await invoke(client, 'unsubscribe', paper.kind, paper.typeCode, paper.id.toUpperCase())
  await change(there.database, paper)
  await change(there.database, other)
  await nextNumber(client, other)
})

describe('a subscription is refused with false', () => {
  test.each<[string, (paper: string) => readonly unknown[]]>([
    ['for a missing object', () => ['Document', 'office.paper', newId()]],
    ['for an unsupported type', (id) => ['Document', 'office.chair', id]],
    ['for another kind', (id) => ['CatalogItem', 'office.paper', id]],
    ['for an unknown kind', (id) => ['document', 'office.paper', id]],
    ['for an id that is not a UUID', () => ['Document', 'office.paper', '1']],
    ['without arguments', () => []],
    ['with an additional argument', (id) => ['Document', 'office.paper', id, 1]],
    ['with arguments of other types', () => [1, null, { id: 1 }]],
    ['with a type code that is not canonical', (id) => ['Document', 'Office/Paper', id]],
  ])('%s', async (_case, args) => {
    const { client } = await reader(here)
    const completion = await invoke(client, 'subscribe', ...args((await papers.add()).id))
    expect(completion).toEqual({ type: 3, invocationId: expect.any(String), result: false })
  })

  test('for an object that the user cannot read', async () => {
    const { client } = await reader(here)
    expect(await subscribe(client, await papers.add(await deployment.addAccount()))).toBe(false)
  })

  test('if the account was deactivated since the connection opened', async () => {
    const { account, client } = await reader(here)
    await deployment.deactivate(account)
    expect(await subscribe(client, await papers.add())).toBe(false)
  })

  test('if the arguments are not a list', async () => {
    const { client } = await reader(here)
    client.send(`{"type":1,"invocationId":"a","target":"subscribe","arguments":"Document"}${end}`)
    expect(await client.next()).toEqual({ type: 3, invocationId: 'a', result: false })
  })

  test('if the replica has no business objects', async () => {
    const replica = await deployment.openReplica()
    const { client } = await reader(replica)
    expect(await subscribe(client, await papers.add())).toBe(false)
  })

  test('for the 21st object of a connection, until another one ends', async () => {
    const { client } = await reader(here)
    const all = await Promise.all(Array.from({ length: 21 }, () => papers.add()))
    for (const paper of all.slice(0, 20)) expect(await subscribe(client, paper)).toBe(true)
    const [first, last] = [all[0], all[20]] as [(typeof all)[0], (typeof all)[0]]
    expect(await subscribe(client, last)).toBe(false)
    expect(await subscribe(client, first)).toBe(true)
    await invoke(client, 'unsubscribe', first.kind, first.typeCode, first.id)
    expect(await subscribe(client, last)).toBe(true)
  })
})

test('a method without an invocation id has its effect and no answer', async () => {
  const paper = await papers.add()
  const { client } = await reader(here)
  client.send(`${JSON.stringify({ type: 1, target: 'subscribe', arguments: Object.values(paper) })}${end}`)
  expect(await subscribe(client, paper)).toBe(true)
  await change(there.database, paper)
  await nextNumber(client, paper)
})

test('requests of many connections are checked together', async () => {
  const paper = await papers.add()
  const readers = await Promise.all(Array.from({ length: 15 }, () => reader(here)))
  const before = papers.checkCount
  expect(await Promise.all(readers.map(({ client }) => subscribe(client, paper)))).not.toContain(false)
  expect(papers.checkCount - before).toBeLessThan(15)
})

test('a client receives no number that is lower than those of another replica before', async () => {
  const paper = await papers.add()
  const first = await reader(here)
  await subscribe(first.client, paper)
  await change(there.database, paper)
  const number = await nextNumber(first.client, paper)
  deployment.clock.nowMs += 1
  const second = await reader(there, first.account)
  await subscribe(second.client, paper)
  await change(here.database, paper)
  expect(await nextNumber(second.client, paper)).toBeGreaterThan(number)
})

describe('when every announcement is lost, the periodic check', () => {
  test('finds each change of a subscribed object, and no other', async () => {
    const [paper, other] = [await papers.add(), await papers.add()]
    const { client } = await reader(await checking())
    await subscribe(client, other)
    await subscribe(client, paper)
    for (let turn = 0; turn < 3; turn += 1) {
      await change(silent, paper)
      await nextNumber(client, paper)
    }
  })

  test('finds a change that committed after a later event of another transaction', async () => {
    const paper = await papers.add()
    const { client } = await reader(await checking())
    await subscribe(client, paper)
    await silent.transaction(async (tx) => {
      await recordAudit(tx, eventOf(paper))
      // `recordAudit` does not wait until its event has an id, and later statements do.
      await tx.execute(sql`select 1`)
      await change(silent, paper)
      await nextNumber(client, paper)
    })
    await nextNumber(client, paper)
  })

  test('finds a change in a transaction of the application', async () => {
    const paper = await papers.add()
    const { client } = await reader(await checking())
    await subscribe(client, paper)
    await drizzle({ client: deployment.operator }).transaction((tx) => recordAudit(kitTx(tx), eventOf(paper)))
    await nextNumber(client, paper)
  })

  test('finds that the database has lost a change', async () => {
    const paper = await papers.add()
    await change(silent, paper)
    const { client } = await reader(await checking())
    await subscribe(client, paper)
    const { operator } = deployment
    const [event] =
      await operator`select tableoid::regclass::text as partition from core_audit.audit_events where target_id = ${paper.id}`
    const triggers = (change: string) =>
      operator.unsafe(`alter table ${event?.['partition']} ${change} trigger user`)
    await triggers('disable')
    await operator`delete from core_audit.audit_events where target_id = ${paper.id}`
    await triggers('enable')
    await nextNumber(client, paper)
  })
})

test('a check reads the rights and the changes of all subscriptions with one statement each', async () => {
  const record = recordStatements()
  const replica = await open({ observe: record.observe, config: { checkIntervalMs: 5 } })
  onTestFinished(() => replica.close())
  const all = await Promise.all(Array.from({ length: 10 }, () => papers.add()))
  const readers = await Promise.all(Array.from({ length: 5 }, () => reader(replica)))
  for (const { client } of readers) for (const paper of all) await subscribe(client, paper)
  const countOf = (table: string) =>
    record.statements.filter(({ queryChunks }) => JSON.stringify(queryChunks).includes(table)).length
  record.reset()
  await expect.poll(() => countOf('audit_events'), { interval: 5 }).toBeGreaterThan(3)
  // The poll can run between the two statements of a check.
  expect(Math.abs(countOf('public.papers') - countOf('audit_events'))).toBeLessThan(2)
})

describe('a subscription ends', () => {
  test('when its user can no longer read the object, and others continue', async () => {
    const [gone, stays] = [await deployment.addAccount(), await deployment.addAccount()]
    const paper = await papers.add(gone, stays)
    const marker = await papers.add()
    const replica = await checking()
    const [one, other] = [await reader(replica, gone), await reader(replica, stays)]
    for (const { client } of [one, other]) for (const each of [paper, marker]) await subscribe(client, each)
    await papers.showTo(paper, stays)
    const before = papers.checkCount
    await expect.poll(() => papers.checkCount, { interval: 5 }).toBeGreaterThan(before + 1)
    await change(here.database, paper)
    await nextNumber(other.client, paper)
    await change(here.database, marker)
    await nextNumber(one.client, marker)
  })

  test('when its connection closes', async () => {
    const paper = await papers.add()
    const replica = await checking()
    const { client } = await reader(replica)
    await subscribe(client, paper)
    client.socket.close()
    await client.closed()
    await expect.poll(() => replica.realtime.connectionCount, { interval: 5 }).toBe(0)
    // At most one check is still in progress. Further ones have nothing to read.
    let last = -1
    const hasStopped = (): boolean => {
      const isSame = papers.checkCount === last
      last = papers.checkCount
      return isSame
    }
    await expect.poll(hasStopped, { interval: 100 }).toBe(true)
  })
})

test('when the rights cannot be read, the client learns that it can try again, and nothing else', async () => {
  const paper = await papers.add()
  const replica = await open({
    observe: (database) => ({
      ...database,
      read: () => database.read((db) => db.execute(sql`select 1 / 0`) as never),
    }),
  })
  onTestFinished(() => replica.close())
  const client = await connect(replica, { token: await deployment.token(await deployment.addAccount()) })
  client.send(handshake)
  await client.next()
  expect(await invoke(client, 'subscribe', ...Object.values(paper))).toEqual({
    ...{ type: 3, invocationId: expect.any(String) },
    error: 'The service is unavailable. Try again.',
  })
})

test('the published client subscribes, receives four arguments and unsubscribes', async () => {
  const paper = await papers.add()
  const account = await deployment.addAccount()
  const client = new HubConnectionBuilder()
    .withUrl(`${here.url}/hubs/work-center`, {
      accessTokenFactory: () => deployment.token(account),
      transport: HttpTransportType.WebSockets,
    })
    .configureLogging(LogLevel.None)
    .build()
  onTestFinished(() => client.stop())
  const received = Promise.withResolvers<unknown[]>()
  client.on('objectChanged', (...args: unknown[]) => received.resolve(args))
  client.on('workCenterChanged', () => {})
  await client.start()
  const { kind, typeCode, id } = paper
  expect(await client.invoke('subscribe', kind, typeCode, newId())).toBe(false)
  expect(await client.invoke('subscribe', kind, typeCode, id)).toBe(true)
  await change(there.database, paper)
  expect(await received.promise).toEqual([kind, typeCode, id, expect.any(Number)])
  await client.invoke('unsubscribe', kind, typeCode, id)
})

test('clients that subscribe without a pause delay no check', async () => {
  const paper = await papers.add()
  const account = await deployment.addAccount()
  const caller = testCaller([], { subject: account.subject })
  const subscriber: ObjectSubscriber = { callerNow: async () => caller, sendObject: () => {} }
  let isFlooding = false
  const liveObjects = createLiveObjects({
    ...{ database: silent, quietMs: 0, now: Date.now, logger: captureLog().logger },
    businessObjects: {
      areReadable(db, attempts) {
        if (isFlooding) liveObjects.subscribe(subscriber, paper).catch(() => {})
        return papers.businessObjects.areReadable(db, attempts)
      },
    },
  })
  onTestFinished(() => {
    isFlooding = false
    liveObjects.stop()
  })
  expect(await liveObjects.subscribe(subscriber, paper)).toBe(true)
  await liveObjects.check()
  isFlooding = true
  await Promise.all([liveObjects.check(), liveObjects.check()])
  await liveObjects.check()
})

test('a page that asks again is subscribed, also if its first request fails afterwards', async () => {
  const paper = await papers.add()
  const reached = Promise.withResolvers<void>()
  const fail = Promise.withResolvers<void>()
  let checkCount = 0
  const subscriber: ObjectSubscriber = { callerNow: async () => testCaller(), sendObject() {} }
  const liveObjects = createLiveObjects({
    ...{ database: silent, quietMs: 0, now: Date.now, logger: captureLog('warn').logger },
    businessObjects: {
      async areReadable(db, attempts) {
        checkCount += 1
        if (checkCount > 1) return papers.businessObjects.areReadable(db, attempts)
        reached.resolve()
        await fail.promise
        throw new Error('The first request fails')
      },
    },
  })
  onTestFinished(() => liveObjects.stop())
  const first = liveObjects.subscribe(subscriber, paper)
  await reached.promise
  liveObjects.unsubscribe(subscriber, paper)
  const second = liveObjects.subscribe(subscriber, paper)
  fail.resolve()
  await expect(first).rejects.toThrow('The first request fails')
  expect(await second).toBe(true)
})

test('if the rights of many pages cannot be read, one line is logged', async () => {
  const paper = await papers.add()
  const log = captureLog('warn')
  const subscriber = (): ObjectSubscriber => ({
    callerNow: () => Promise.reject(new Error('The session store is broken')),
    sendObject() {},
  })
  const liveObjects = createLiveObjects({
    ...{ database: silent, businessObjects: papers.businessObjects, quietMs: 0, now: Date.now },
    logger: log.logger,
  })
  onTestFinished(() => liveObjects.stop())
  const asked = Array.from({ length: 5 }, () => liveObjects.subscribe(subscriber(), paper))
  for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected')
  expect(log.entries.map(({ failedCount }) => failedCount)).toEqual([1, 4])
})
