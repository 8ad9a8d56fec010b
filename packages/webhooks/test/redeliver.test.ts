import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { switchEndpoint } from '../src/commands/change-endpoint.ts'
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

const operator = 'test'

test('a redelivery sends a finished delivery again, with the same id', async () => {
  let status = 500
  const receiver = await startReceiver((response) => void response.writeHead(status).end())
  const { id: endpointId } = await add(database, receiver.url)
  const webhooks = makeWebhooks(database, { ...local, maxAttempts: 1 })
  const eventId = await webhooks.append()
  await webhooks.run()
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'dead' }])
  status = 200
  await database.transaction((tx) => redeliver(tx, { eventId, endpointId, operator }))
  await webhooks.send()
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'sent', attempts: 1 }])
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([eventId]))
  const unknown = database.transaction((tx) =>
    redeliver(tx, { eventId: 'unknown', endpointId: null, operator }),
  )
  await expect(unknown).rejects.toMatchObject({ code: 'webhooks.delivery_not_found' })
})

test('a redelivery of an event leaves waiting deliveries and those of other endpoints alone', async () => {
  const failing = await startReceiver((response) => void response.writeHead(500).end())
  const working = await startReceiver()
  const { id: failingId } = await add(database, failing.url)
  await add(database, working.url)
  const webhooks = makeWebhooks(database)
  const eventId = await webhooks.append()
  await webhooks.run()
  const again = (endpointId: string | null) =>
    database.transaction((tx) => redeliver(tx, { eventId, endpointId, operator }))
  await expect(again(failingId)).rejects.toMatchObject({ code: 'webhooks.delivery_not_found' })
  expect(await again(null)).toBe(1)
  await webhooks.send()
  expect([failing.received.length, working.received.length]).toEqual([1, 2])
})

test('a redelivery of an event leaves the dead letter of a disabled endpoint as it is', async () => {
  const failing = await startReceiver((response) => void response.writeHead(500).end())
  const { id: disabledId } = await add(database, failing.url)
  const { id: activeId } = await add(database, failing.url)
  const webhooks = makeWebhooks(database, { ...local, maxAttempts: 1 })
  const eventId = await webhooks.append()
  await webhooks.run()
  await database.transaction((tx) =>
    switchEndpoint(tx, { endpointId: disabledId, operator, isActive: false }),
  )
  expect(await database.transaction((tx) => redeliver(tx, { eventId, endpointId: null, operator }))).toBe(1)
  const states = (await deliveriesOf(database)).map(({ endpoint_id: id, state }) => [id, state])
  expect(new Map(states as [string, string][])).toEqual(
    new Map([
      [disabledId, 'dead'],
      [activeId, 'pending'],
    ]),
  )
})

test('only the dead letters of an endpoint are sent again, with all attempts, and at once', async () => {
  let status = 500
  const receiver = await startReceiver((response) => void response.writeHead(status).end())
  const { id: endpointId } = await add(database, receiver.url)
  const webhooks = makeWebhooks(database, { ...local, maxAttempts: 2 })
  await webhooks.append()
  await webhooks.run()
  await letTimePass(database)
  await webhooks.send()
  status = 204
  await webhooks.append()
  await webhooks.run()
  expect(await database.transaction((tx) => redeliverDead(tx, { endpointId, operator }))).toBe(1)
  await webhooks.send()
  expect(receiver.received).toHaveLength(4)
  expect(await deliveriesOf(database)).toMatchObject([
    { state: 'sent', attempts: 1, failure: null },
    { state: 'sent', attempts: 1 },
  ])
})

test('a redelivery finds nothing if another one commits while it waits', async () => {
  await add(database, (await startReceiver()).url)
  const webhooks = makeWebhooks(database)
  const eventId = await webhooks.append()
  await webhooks.run()
  const again = (tx: Tx) => redeliver(tx, { eventId, endpointId: null, operator })
  const held = await holdTransaction(database, again)
  const second = database.transaction(again)
  await Promise.all([
    untilBlocked(database).then(held.commit),
    expect(second).rejects.toMatchObject({ code: 'webhooks.delivery_not_found' }),
  ])
})
