import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type PostgresProxy, startPostgresProxy } from '@vertical-kit/core-audit/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { cancelInserts } from '../cancel-inserts.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox, type TestConsumer } from './harness.ts'

let outbox: Outbox
let proxy: PostgresProxy
let consumer: TestConsumer
let handle: (subject: string) => void
let close: () => Promise<void>
beforeEach(async () => {
  outbox = await openOutbox(['mail'])
  proxy = await startPostgresProxy(outbox.url)
  const database = createDatabase({ ...databaseDefaults, url: proxy.url })
  handle = () => {}
  consumer = makeConsumer(database, async (_tx, { subject }) => handle(subject))
  close = () => database.close()
})
afterEach(async () => {
  await close()
  await proxy.stop()
  await outbox.close()
})

const subjects = ['thing/1', 'thing/2', 'thing/3']
const append = () =>
  outbox.database.transaction((tx) => appendToOutbox(tx, ...subjects.map((subject) => event({ subject }))))
const outcomes = async () => {
  const deliveries = await outbox.deliveries()
  const attempts = await Promise.all(deliveries.map(({ eventId }) => outbox.attempts(eventId)))
  return attempts.map((rows) => rows.map(({ outcome }) => outcome))
}

/** Ends all connections, and refuses new ones. */
function endDatabase(): void {
  proxy.decide = () => 'refuse'
  proxy.cut('close')
}

function restoreDatabase(): void {
  proxy.decide = undefined
}

test('a failure that could not be recorded is recorded when the database is back, and costs no other event its lease', async () => {
  await append()
  handle = endDatabase
  await expect(consumer.run()).rejects.toMatchObject({ code: 'service.unavailable' })
  await expect(consumer.run()).rejects.toMatchObject({ code: 'service.unavailable' })
  expect((await outbox.deliveries()).map(({ isLeased }) => isLeased)).toEqual([true, true, true])
  restoreDatabase()
  handle = () => {}
  await consumer.run()
  expect(await outcomes()).toEqual([['failed'], ['completed'], ['completed']])
  await outbox.letTimePass()
  await consumer.run()
  expect(await outcomes()).toEqual([['failed', 'completed'], ['completed'], ['completed']])
})

test('a claim whose answer was lost is released when the database is back, and counts as no attempt', async () => {
  // Prepares the statements of a cycle on the connection.
  await consumer.run()
  await append()
  proxy.decide = ({ type }) => (type === 'B' ? 'swallow-answer' : 'pass')
  const cycle = consumer.run()
  const ended = expect(cycle).rejects.toMatchObject({ code: 'service.unavailable' })
  await expect.poll(async () => (await outbox.deliveries()).every(({ isLeased }) => isLeased)).toBe(true)
  endDatabase()
  await ended
  restoreDatabase()
  await consumer.run()
  expect(await outcomes()).toEqual([['completed'], ['completed'], ['completed']])
  expect((await outbox.deliveries()).map(({ attempts }) => attempts)).toEqual([1, 1, 1])
})

test('a statement that the database rejects is not repeated, so it does not stop the consumer', async () => {
  await cancelInserts(outbox.url, 'core_audit.outbox_attempts', `new.outcome = 'failed'`)
  await append()
  handle = (subject) => {
    if (subject === 'thing/1') throw new Error('no')
  }
  await expect(consumer.run()).rejects.toMatchObject({ code: 'service.unavailable' })
  await consumer.run()
  expect(await outcomes()).toEqual([[], ['completed'], ['completed']])
})
