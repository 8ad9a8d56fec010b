import type { Database } from '@vertical-kit/core-audit/database'
import { untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { createOutboxRetention } from '../../src/outbox/retention.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'
import { runCommand } from './run-command.ts'

let outbox: Outbox
let database: Database
beforeEach(async () => {
  outbox = await openOutbox(['mail', 'webhooks'])
  database = outbox.database
})
afterEach(() => outbox.close())

const append = (subject: string, isPoison = false): Promise<void> =>
  database.transaction((tx) => appendToOutbox(tx, event({ subject, data: { isPoison } })))
const unregister = (name = 'webhooks') =>
  runCommand(outbox.url, ['unregister', name, '--reason', 'it was never mounted', '--confirm'])
const statesOf = async (name: string) =>
  (await outbox.deliveries()).filter(({ consumer }) => consumer === name).map(({ state }) => state)

/** Stores a completed delivery, a dead letter and a pending delivery of `webhooks`. */
async function makeBacklog(): Promise<void> {
  await append('a')
  await append('b', true)
  const webhooks = makeConsumer(
    database,
    async (_tx, { data }) => {
      if (data['isPoison'] === true) throw new Error('no')
    },
    { name: 'webhooks', config: { maxAttempts: 1 } },
  )
  await webhooks.run()
  await append('c')
  expect(await statesOf('webhooks')).toEqual(['completed', 'dead', 'pending'])
}

test('discards unfinished deliveries and dead letters of the consumer only, and prints their number', async () => {
  await makeBacklog()
  expect(await unregister()).toEqual({
    exitCode: 0,
    out: ['webhooks is removed. Discarded deliveries: 2.'],
    err: [],
  })
  expect(await statesOf('webhooks')).toEqual(['completed', 'discarded', 'discarded'])
  expect(await statesOf('mail')).toEqual(['pending', 'pending', 'pending'])
  expect((await runCommand(outbox.url, ['list'])).out).toEqual([expect.stringMatching(/^mail: 3 pending/)])
})

test('the audit log keeps the consumer, the number, the reason and the operator', async () => {
  await makeBacklog()
  await unregister()
  const events = await database.read((db) =>
    db.execute(sql`
      select module, target_kind, target_type_code, action_code, actor_user_id, metadata
      from core_audit.audit_events`),
  )
  expect(events).toEqual([
    {
      module: 'core-audit',
      target_kind: 'OutboxConsumer',
      target_type_code: 'webhooks',
      action_code: 'outbox.consumer_unregistered',
      actor_user_id: null,
      metadata: {
        ...{ consumer: 'webhooks', discardedCount: 2 },
        ...{ reason: 'it was never mounted', operator: 'olga' },
      },
    },
  ])
})

test('later events have no delivery for it, and the retention deletes the events that it kept', async () => {
  await makeBacklog()
  await unregister()
  await append('d')
  expect(await statesOf('webhooks')).toHaveLength(3)
  await makeConsumer(database, async () => {}).run()
  const retention = createOutboxRetention({ database, config: { retentionMs: 1 } })
  await retention.runOnce(new AbortController().signal)
  expect(await outbox.deliveries()).toEqual([])
})

test('waits for a transaction that has appended an event, and discards its delivery, too', async () => {
  let run: ReturnType<typeof unregister> | undefined
  await database.transaction(async (tx) => {
    await appendToOutbox(tx, event({ subject: 'a' }))
    // The append does not wait for its statement, and later statements do.
    await tx.execute(sql`select 1`)
    run = unregister()
    await untilBlocked(database, 1)
  })
  expect((await run)?.out).toEqual(['webhooks is removed. Discarded deliveries: 1.'])
  expect(await statesOf('webhooks')).toEqual(['discarded'])
})

test('an unknown consumer changes nothing', async () => {
  expect(await unregister('nobody')).toEqual({
    exitCode: 1,
    out: [],
    err: ['No consumer nobody is registered.'],
  })
})
