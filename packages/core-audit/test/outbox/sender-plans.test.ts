import type { Database } from '@vertical-kit/core-audit/database'
import type { PlanNode } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseMessage } from '../../src/outbox/commands/lease-message.ts'
import { pruneMessages } from '../../src/outbox/commands/prune-messages.ts'
import { longestDue, nextMessageAt } from '../../src/outbox/destinations.ts'
import { mostRead } from '../explain.ts'
import { type Outbox, openOutbox } from './harness.ts'
import { addMessages, createMessages } from './sender-desk.ts'

const dueCount = 20_000

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox([])
  database = outbox.database
  await createMessages(outbox.url)
  await addMessages(database, 'silent', dueCount)
  await addMessages(database, 'working', 1)
  await database.statement((tx) =>
    tx.execute(sql`
      insert into test.messages (to_name, number, state, state_since)
      select 'old', n, case when n % 2 = 0 then 'sent' else 'skipped' end, statement_timestamp() - n * interval '1 hour'
      from generate_series(1, ${dueCount}::int) n`),
  )
  await database.statement((tx) => tx.execute(sql`vacuum analyze test.messages`))
})
afterAll(() => outbox.close())

/** Returns the statement that a command sends. */
async function statementOf(command: (tx: never) => Promise<unknown>): Promise<SQL> {
  const sent: SQL[] = []
  const execute = async (statement: SQL) => {
    sent.push(statement)
    return []
  }
  await command({ execute } as never)
  return sent[0] as SQL
}

const messages = { table: sql`test.messages`, destination: sql<string>`to_name` }
const lease = (to: SQL<string | null>) =>
  statementOf((tx) =>
    leaseMessage(tx, {
      ...{ ...messages, to, columns: sql`number`, leaseToken: crypto.randomUUID() },
      ...{ leaseMs: 60_000, maxAttempts: 3 },
    }),
  )

test.each<[what: string, statement: () => Promise<SQL>]>([
  ['the search for another destination', async () => sql`select ${longestDue(messages, ['silent'])}`],
  ['the time of the next message', async () => sql`select ${nextMessageAt(messages)}`],
  ['the lease of the next message of a destination', () => lease(sql`${'working'}`)],
  ['the lease of the longest due message', () => lease(longestDue(messages, ['silent']))],
])('%s does not read the due messages of a silent destination', async (_, statement) => {
  expect(await mostRead(database, await statement())).toBeLessThanOrEqual(4)
})

test.each(['sent', 'skipped'] as const)('old messages that were %s are read in portions', async (state) => {
  const input = { table: messages.table, state, retentionMs: 60_000 }
  const isByAge = (node: PlanNode) => node['Index Name'] === 'messages_state_state_since_idx'
  expect(await mostRead(database, await statementOf((tx) => pruneMessages(tx, input)), isByAge)).toBe(500)
})
