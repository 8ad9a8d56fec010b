import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import {
  type ChangeDeadLetters,
  discardDeadLetters,
  retryDeadLetters,
} from '../../src/outbox/commands/change-dead-letters.ts'
import { claimDeliveries, nextDeliveryAt } from '../../src/outbox/commands/claim-deliveries.ts'
import { checkConsumerConfig } from '../../src/outbox/config.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let isBroken: boolean
let handled: string[]
beforeEach(async () => {
  outbox = await openOutbox(['mail'])
  isBroken = true
  handled = []
})
afterEach(() => outbox.close())

/** Appends one event to the subject, and returns its id. */
async function append(name: string): Promise<string> {
  await outbox.database.transaction((tx) => appendToOutbox(tx, event({ subject: 'thing/1', data: { name } })))
  return (await outbox.deliveries()).at(-1)?.eventId ?? ''
}

/** Runs the consumer. While it is broken, every event becomes a dead letter at its first attempt. */
const run = () =>
  makeConsumer(
    outbox.database,
    async (_tx, { data }) => {
      if (isBroken) throw new Error('broken')
      handled.push(String(data['name']))
    },
    { config: { maxAttempts: 1 } },
  ).run()

const claim = (tx: Parameters<typeof claimDeliveries>[0]) =>
  claimDeliveries(tx, checkConsumerConfig({ pollIntervalMs: 10, batchSize: 25, maxAttempts: 8 }), {
    consumer: 'mail',
    leaseToken: crypto.randomUUID(),
    which: { kind: 'fresh', after: '' },
  })

const decision = (eventId: string): ChangeDeadLetters => ({
  eventId,
  consumer: null,
  reason: 'repaired',
  by: { operator: 'olga' },
})

const blockedNames = async (): Promise<readonly unknown[]> => {
  const rows = await outbox.database.read((db) =>
    db.execute<{ name: string }>(sql`
      select e.data ->> 'name' as name
      from core_audit.outbox_deliveries d
      join core_audit.outbox_events e on e.id = d.event_id
      where d.is_blocked
      order by d.position`),
  )
  return rows.map(({ name }) => name)
}

test('a tenant is visited to mark a delivery behind a dead letter, and only for that', async () => {
  const isDue = async () => {
    const [row] = await outbox.database.read((db) =>
      db.execute<{ at: string | null }>(sql`select ${nextDeliveryAt('mail')} as at`),
    )
    return row?.at !== null
  }
  await append('first')
  await run()
  expect(await isDue()).toBe(false)
  await append('second')
  expect(await isDue()).toBe(true)
  await run()
  expect(await isDue()).toBe(false)
})

test.each([
  { name: 'a retry', change: retryDeadLetters, order: ['first', 'second', 'third'] },
  { name: 'a discard', change: discardDeadLetters, order: ['second', 'third'] },
])('$name continues with deliveries that were marked, in their order', async ({ change, order }) => {
  const first = await append('first')
  await run()
  await append('second')
  await append('third')
  await run()
  expect(await blockedNames()).toEqual(['second', 'third'])
  await outbox.database.transaction((tx) => change(tx, decision(first)))
  expect(await blockedNames()).toEqual([])
  isBroken = false
  await run()
  expect(handled).toEqual(order)
})

test('a delivery waits until the last dead letter before it is retried or discarded', async () => {
  const first = await append('first')
  await run()
  const second = await append('second')
  // Both can be dead letters if the first event was committed after a consumer had claimed the second one.
  await outbox.database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries set state = 'dead', attempts = 1 where event_id = ${second}::uuid`),
  )
  await append('third')
  await run()
  isBroken = false
  await outbox.database.transaction((tx) => discardDeadLetters(tx, decision(first)))
  await run()
  expect(handled).toEqual([])
  expect(await blockedNames()).toEqual(['third'])
  await outbox.database.transaction((tx) => retryDeadLetters(tx, decision(second)))
  await run()
  expect(handled).toEqual(['second', 'third'])
})

test('a claim marks nothing behind a dead letter about which an operator is deciding', async () => {
  const first = await append('first')
  await run()
  const operator = await holdTransaction(outbox.openPool(), (tx) => retryDeadLetters(tx, decision(first)))
  // The transaction of the operator does not see this delivery, so it could not remove the mark.
  await append('second')
  await run()
  expect(await blockedNames()).toEqual([])
  await operator.commit()
  isBroken = false
  await run()
  expect(handled).toEqual(['first', 'second'])
})

test('an operator waits for a claim that is marking, and removes the mark', async () => {
  const first = await append('first')
  await run()
  await append('second')
  const marking = await holdTransaction(outbox.openPool(), claim)
  const operator = outbox.openPool().transaction((tx) => retryDeadLetters(tx, decision(first)))
  await untilBlocked(outbox.database, 1)
  await marking.commit()
  await operator
  expect(await blockedNames()).toEqual([])
  isBroken = false
  await run()
  expect(handled).toEqual(['first', 'second'])
})

test('a decision of an older release, which does not know the mark, removes it', async () => {
  const first = await append('first')
  await run()
  await append('second')
  await run()
  expect(await blockedNames()).toEqual(['second'])
  await outbox.database.statement((tx) =>
    tx.execute(
      sql`update core_audit.outbox_deliveries set state = 'discarded' where event_id = ${first}::uuid`,
    ),
  )
  isBroken = false
  await run()
  expect(handled).toEqual(['second'])
})
