import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { rotateSecret, switchEndpoint } from '../src/commands/change-endpoint.ts'
import { redeliver, redeliverDead } from '../src/commands/redeliver.ts'
import {
  add,
  clear,
  type Desk,
  deliveriesOf,
  letTimePass,
  local,
  makeWebhooks,
  openDesk,
  type Received,
  startReceiver,
} from './harness.ts'

let desk: Desk
let database: Database
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

/** Verifies a request with the library of Standard Webhooks. Throws for another secret, body or time. */
const operator = 'test'
const verify = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

test('an endpoint receives each event of its types once, signed as Standard Webhooks requires', async () => {
  const [posted, all] = [await startReceiver(), await startReceiver()]
  const { secret } = await add(database, posted.url, ['document.posted'])
  const other = await add(database, all.url)
  const webhooks = makeWebhooks(database)
  const id = await webhooks.append('document.posted', { number: 'SI-1 €' })
  await webhooks.append('document.deleted')
  await webhooks.run()
  await webhooks.run()
  expect(posted.received).toHaveLength(1)
  expect(all.received).toHaveLength(2)
  const [received] = posted.received
  if (received === undefined) throw expect.fail()
  expect(verify(secret, received)).toMatchObject({ type: 'document.posted', data: { number: 'SI-1 €' } })
  expect(received.path).toBe('/hook?token=canary')
  expect(received.headers).toMatchObject({
    ...{ 'webhook-id': id, 'content-type': 'application/json', 'user-agent': 'vertical-kit-webhooks' },
  })
  expect(() => verify(other.secret, received)).toThrow()
  expect(() => verify(secret, { ...received, body: `${received.body} ` })).toThrow()
  expect((await deliveriesOf(database)).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent'])
})

test('after a rotation both secrets verify until the period ends', async () => {
  const receiver = await startReceiver()
  const { id: endpointId, secret } = await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  const next = await database.transaction((tx) => rotateSecret(tx, { endpointId, operator, isForced: false }))
  await webhooks.append()
  await webhooks.run()
  await database.statement((tx) =>
    tx.execute(sql`
      update webhooks.endpoints set previous_until = now(), created_at = now() - interval '1 day'`),
  )
  await webhooks.append()
  await webhooks.run()
  const [during, after] = receiver.received
  if (during === undefined || after === undefined) throw expect.fail()
  for (const valid of [secret, next]) expect(() => verify(valid, during)).not.toThrow()
  expect(() => verify(next, after)).not.toThrow()
  expect(() => verify(secret, after)).toThrow()
})

test('a rotation is refused if another one commits while it waits', async () => {
  const { id: endpointId } = await add(database, 'https://example.com/')
  const rotate = (tx: Tx) => rotateSecret(tx, { endpointId, operator, isForced: false })
  const held = await holdTransaction(database, rotate)
  const second = database.transaction(rotate)
  await Promise.all([
    untilBlocked(database).then(held.commit),
    expect(second).rejects.toMatchObject({ code: 'webhooks.rotation_running' }),
  ])
})

test('an endpoint that two operators disable at the same moment has one audit event', async () => {
  const { id: endpointId } = await add(database, 'https://example.com/')
  const disable = (tx: Tx) => switchEndpoint(tx, { endpointId, operator, isActive: false })
  const held = await holdTransaction(database, disable)
  await Promise.all([database.transaction(disable), untilBlocked(database).then(held.commit)])
  const events = await database.read((db) =>
    db.execute(sql`
      select from core_audit.audit_events
      where target_id = ${endpointId}::uuid and action_code = 'webhooks.endpoint_disabled'`),
  )
  expect(events).toHaveLength(1)
})

test('an event that the outbox handles again causes no further request', async () => {
  const receiver = await startReceiver()
  await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  await webhooks.append()
  await webhooks.run()
  await database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries set state = 'pending', available_at = now()`),
  )
  await webhooks.append()
  await webhooks.run()
  expect(receiver.received).toHaveLength(2)
  expect(await deliveriesOf(database)).toHaveLength(2)
  expect(webhooks.logged).toEqual([])
})

test('a failing endpoint is retried and becomes a dead letter; other endpoints and later events do not wait', async () => {
  const failing = await startReceiver((response) => void response.writeHead(500).end('canary'))
  const working = await startReceiver()
  await add(database, failing.url)
  await add(database, working.url)
  const webhooks = makeWebhooks(database, { ...local, maxAttempts: 3 })
  const id = await webhooks.append()
  await webhooks.run()
  await webhooks.append()
  await webhooks.run()
  expect([failing.received.length, working.received.length]).toEqual([2, 2])
  for (let attempt = 2; attempt <= 4; attempt += 1) {
    await letTimePass(database)
    await webhooks.send()
  }
  const [health] = webhooks.module.health ?? []
  expect(await health?.check(new AbortController().signal)).toMatchObject({
    ...{ status: 'Degraded', failedCount: 2, pendingCount: 0 },
  })
  const dead = (await deliveriesOf(database)).filter(({ state }) => state === 'dead')
  expect(dead).toMatchObject([
    { attempts: 3, failure: { code: 'webhooks.response_refused', context: { status: 500 } } },
    { attempts: 3 },
  ])
  const [letter] = dead
  expect(webhooks.logged.at(-1)).toMatchObject({ endpoint: letter?.endpoint_id, event: expect.any(String) })
  // All attempts have the same id and body.
  const ofFirst = failing.received.filter(({ headers }) => headers['webhook-id'] === id)
  expect(ofFirst).toHaveLength(3)
  expect(new Set(ofFirst.map(({ body }) => body)).size).toBe(1)
  const written = JSON.stringify([webhooks.logged, dead])
  for (const secret of ['canary', 'whsec_', '127.0.0.1']) expect(written).not.toContain(secret)
})

test('a disabled endpoint receives nothing, also not what was due before', async () => {
  const receiver = await startReceiver()
  const { id: endpointId } = await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  await webhooks.append()
  await webhooks.consume()
  await database.transaction((tx) => switchEndpoint(tx, { endpointId, operator, isActive: false }))
  await webhooks.append()
  await webhooks.run()
  expect(receiver.received).toEqual([])
  expect((await deliveriesOf(database)).map(({ state }) => state)).toEqual(['skipped'])
})

test('dead letters of a disabled endpoint degrade no health report, and are not sent again', async () => {
  const receiver = await startReceiver((response) => void response.writeHead(500).end())
  const { id: endpointId } = await add(database, receiver.url)
  const webhooks = makeWebhooks(database, { ...local, maxAttempts: 1 })
  const eventId = await webhooks.append()
  await webhooks.run()
  const [health] = webhooks.module.health ?? []
  const status = () => health?.check(new AbortController().signal)
  expect(await status()).toMatchObject({ status: 'Degraded', failedCount: 1 })
  await database.transaction((tx) => switchEndpoint(tx, { endpointId, operator, isActive: false }))
  expect(await status()).toMatchObject({ status: 'Healthy', failedCount: 0 })
  const attempts = [
    (tx: Tx) => redeliver(tx, { eventId, endpointId: null, operator }),
    (tx: Tx) => redeliverDead(tx, { endpointId, operator }),
  ]
  for (const attempt of attempts) {
    await expect(database.transaction(attempt)).rejects.toMatchObject({ code: 'webhooks.endpoint_disabled' })
  }
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'dead' }])
})

test('a redirect is not followed', async () => {
  const target = await startReceiver()
  const receiver = await startReceiver(
    (response) => void response.writeHead(307, { Location: target.url }).end(),
  )
  await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  await webhooks.append()
  await webhooks.run()
  expect(receiver.received).toHaveLength(1)
  expect(target.received).toEqual([])
  expect(await deliveriesOf(database)).toMatchObject([
    { state: 'pending', failure: { code: 'webhooks.response_refused' } },
  ])
})

test.each([
  [299, 'sent'],
  [300, 'pending'],
])('after the status %i a delivery is %s', async (status, state) => {
  const receiver = await startReceiver((response) => void response.writeHead(status).end())
  await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  await webhooks.append()
  await webhooks.run()
  expect(await deliveriesOf(database)).toMatchObject([{ state }])
})

test('a switch to another protocol is a refusal', async () => {
  const receiver = await startReceiver(
    ({ socket }) =>
      void socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
  )
  await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  await webhooks.append()
  await webhooks.run()
  expect(await deliveriesOf(database)).toMatchObject([
    { state: 'pending', failure: { code: 'webhooks.response_refused' } },
  ])
})

test('an endless answer ends the connection after its status', async () => {
  const closed = Promise.withResolvers<void>()
  const receiver = await startReceiver((response) => {
    response.once('close', () => closed.resolve())
    response.writeHead(200)
    const fill = () => {
      while (response.write(Buffer.alloc(64 * 1024)));
    }
    response.on('drain', fill)
    fill()
  })
  await add(database, receiver.url)
  // The deadline would end the connection, too.
  const webhooks = makeWebhooks(database, { ...local, deadlineMs: 600_000 })
  await webhooks.append()
  await webhooks.run()
  await closed.promise
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'sent' }])
})

test('a silent endpoint ends the attempt at the deadline, and no database connection is held', async () => {
  const connected = Promise.withResolvers<void>()
  const silent = createServer((socket) => {
    socket.on('error', () => {})
    connected.resolve()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  await add(database, `http://127.0.0.1:${port}/`)
  const pool = desk.openPool({ poolMax: 1 })
  const webhooks = makeWebhooks(pool, { ...local, deadlineMs: 2_000 })
  await webhooks.append()
  await webhooks.consume()
  const sending = webhooks.send()
  await connected.promise
  // The sender's next search can still be running.
  await expect.poll(() => pool.load.runningCount).toBe(0)
  await sending
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'pending', attempts: 1 }])
})

test('thirty concurrent senders send each delivery once', async () => {
  const receiver = await startReceiver()
  await add(database, receiver.url)
  const webhooks = makeWebhooks(database)
  for (let count = 0; count < 20; count += 1) await webhooks.append()
  await webhooks.consume()
  const pools = [database, desk.openPool(), desk.openPool()]
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => makeWebhooks(pools[index % pools.length] as Database).send()),
  )
  expect(receiver.received).toHaveLength(20)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(20)
})
