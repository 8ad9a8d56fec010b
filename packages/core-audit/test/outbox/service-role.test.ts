import { randomBytes } from 'node:crypto'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { createOutboxRetention } from '../../src/outbox/retention.ts'
import { runSql } from '../harness.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

const role = `service_${randomBytes(6).toString('hex')}`
let outbox: Outbox
let url: string
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  // The grants that docs/guides/database.md recommends.
  await runSql(
    outbox.url,
    `create role ${role} login password 'service';
     grant usage on schema core_audit to ${role};
     grant select, insert, update, delete on all tables in schema core_audit to ${role};
     revoke update, delete, truncate on core_audit.audit_events from ${role};
     revoke update, truncate on core_audit.outbox_events, core_audit.outbox_attempts from ${role};`,
  )
  const address = new URL(outbox.url)
  address.username = role
  address.password = 'service'
  url = address.href
  database = createDatabase({ ...databaseDefaults, url })
})
afterAll(async () => {
  await database.close()
  await outbox.close()
  await runSql(inject('postgresUrl'), `drop role ${role}`)
})

test('the outbox works with a role that can only read and write its tables', async () => {
  await database.transaction((tx) => appendToOutbox(tx, event({ data: { isPoison: true } }), event()))
  const consumer = makeConsumer(
    database,
    async (_tx, { data }) => {
      if (data['isPoison'] === true) throw new Error('no')
    },
    { config: { maxAttempts: 1 } },
  )
  await consumer.run()
  expect((await outbox.deliveries()).map(({ state }) => state)).toEqual(['dead', 'completed'])
  expect(await consumer.health.check(AbortSignal.timeout(3_000))).toMatchObject({ status: 'Degraded' })
  const eventId = (await outbox.deliveries())[0]?.eventId ?? ''
  const argv = ['discard', eventId, '--reason', 'tried enough']
  const environment = { DATABASE_URL: url }
  expect(await runOutboxCommand({ argv, environment, operator: 'olga', write: () => {} })).toBe(0)
  await createOutboxRetention({ database, config: { retentionMs: 1 } }).runOnce(new AbortController().signal)
  expect(await outbox.deliveries()).toEqual([])
  const removal = ['unregister', 'mail', '--reason', 'not used', '--confirm']
  expect(await runOutboxCommand({ argv: removal, environment, operator: 'olga', write: () => {} })).toBe(0)
})
