import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runSql } from '../harness.ts'
import { type Outbox, openOutbox } from './harness.ts'
import { addMessages, createMessages, makeSender, messagesOf } from './sender-desk.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox([])
  database = outbox.database
  await createMessages(outbox.url)
})
afterAll(() => outbox.close())
beforeEach(async () => {
  await runSql(outbox.url, 'truncate test.messages')
  await addMessages(database, 'working', 1)
})

/** Leases the only message for another process, as it does after a lease has expired. Returns the row. */
async function leaseAgain() {
  await database.statement((tx) =>
    tx.execute(sql`
      update test.messages
      set attempts = attempts + 1, lease_token = ${newId()}::uuid, available_at = clock_timestamp() + interval '1 minute'`),
  )
  return rows()
}
const rows = () => database.read((db) => db.execute(sql`select * from test.messages`))

test('an attempt that has lost its lease stores no outcome', async () => {
  let taken: unknown
  const sender = makeSender(database, async () => {
    taken = await leaseAgain()
    return 'sent'
  })
  await sender.run()
  expect(await rows()).toEqual(taken)
  expect(sender.logged.map(({ msg }) => msg)).toEqual(['An attempt ended after its lease was lost.'])
})

test('a host that stops releases no message whose lease it has lost', async () => {
  let taken: unknown
  const stopping = new AbortController()
  const sender = makeSender(database, async () => {
    taken = await leaseAgain()
    stopping.abort()
    throw new Error('The host stops')
  })
  await sender.worker.runOnce(stopping.signal)
  expect(await rows()).toEqual(taken)
})

test('a lease is longer than its attempt, with the time to store the outcome while the database is away', async () => {
  const deadlineMs = 5_000
  let lease: { seconds: number } | undefined
  const send = async () => {
    ;[lease] = await database.read((db) =>
      db.execute<{ seconds: number }>(sql`
        select extract(epoch from available_at - clock_timestamp())::float8 as seconds from test.messages`),
    )
    return 'sent' as const
  }
  await makeSender(database, send, { deadlineMs }).run()
  expect(lease?.seconds).toBeGreaterThan(deadlineMs / 1_000 + 50)
  expect(await messagesOf(database)).toMatchObject([{ state: 'sent' }])
})
