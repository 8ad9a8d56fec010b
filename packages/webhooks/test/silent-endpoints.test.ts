import type { Database } from '@vertical-kit/core-audit/database'
import { startWorkers } from '@vertical-kit/core-audit/host'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  add,
  clear,
  type Desk,
  deliveriesOf,
  isDue,
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

/** Starts a receiver that reads requests, and answers all of them when the test calls `answer`. */
async function startSilentReceiver() {
  const [answered, reached, closed] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const receiver = await startReceiver(async (response) => {
    response.once('close', () => closed?.resolve())
    reached?.resolve()
    await answered?.promise
    response.writeHead(204).end()
  })
  return {
    ...receiver,
    answer: () => answered?.resolve(),
    /** Resolves when the first request has arrived. */
    reached: reached?.promise,
    /** Resolves when the first connection has ended. */
    closed: closed?.promise,
  }
}

test('an endpoint that never answers delays no other endpoint', async () => {
  const silent = await startSilentReceiver()
  const arrived = Promise.withResolvers<void>()
  const working = await startReceiver((response) => {
    response.writeHead(204).end()
    arrived.resolve()
  })
  const { id: silentId } = await add(database, silent.url, ['document.posted'])
  await add(database, working.url, ['document.deleted'])
  const webhooks = makeWebhooks(database)
  for (let count = 0; count < 3 * local.batchSize; count += 1) await webhooks.append('document.posted')
  await webhooks.consume()
  await webhooks.append('document.deleted')
  await webhooks.consume()
  const sending = webhooks.send()
  await arrived.promise
  const ofSilent = (await deliveriesOf(database)).filter((one) => one.endpoint_id === silentId)
  expect(new Set(ofSilent.map(({ state }) => state))).toEqual(new Set(['pending']))
  silent.answer()
  await sending
  expect(silent.received).toHaveLength(3 * local.batchSize)
  expect(new Set((await deliveriesOf(database)).map(({ state }) => state))).toEqual(new Set(['sent']))
})

test('a host that stops ends its requests, and another host sends them at once', async () => {
  const silent = await startSilentReceiver()
  await add(database, silent.url)
  const webhooks = makeWebhooks(database)
  await webhooks.append()
  await webhooks.consume()
  const workers = startWorkers(webhooks.module.workers ?? [], captureLog().logger)
  await silent.reached
  await workers.stop()
  await silent.closed
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'pending', attempts: 0, failure: null }])
  expect(await isDue(database)).toBe(true)
  silent.answer()
  await makeWebhooks(database).send()
  expect(await deliveriesOf(database)).toMatchObject([{ state: 'sent', attempts: 1 }])
})
