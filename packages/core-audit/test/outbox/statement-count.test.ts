import type { Database } from '@vertical-kit/core-audit/database'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  database = outbox.database
})
afterAll(() => outbox.close())
beforeEach(() => outbox.clear())

/** Returns the numbers of statements and commits of a cycle with `eventCount` events, without those of the handler. */
async function costOf(eventCount: number, handle: () => Promise<void> = async () => {}) {
  const events = Array.from({ length: eventCount }, () => event())
  await database.transaction((tx) => appendToOutbox(tx, ...events))
  const recorded = recordStatements()
  const config = { batchSize: 10, pollIntervalMs: 60_000 }
  await makeConsumer(recorded.observe(database), handle, { config }).run()
  return { statements: recorded.statements.length, commits: recorded.commitCount }
}

test('a cycle without work uses one query for fresh deliveries and one for suspects', async () => {
  expect(await costOf(0)).toEqual({ statements: 2, commits: 2 })
})

test('a batch of any size uses three statements and two commits', async () => {
  const idle = 2
  // Up to 10 events need one claim; 25 events need three claims.
  expect(await costOf(1)).toEqual({ statements: 3 + idle, commits: 2 + idle })
  expect(await costOf(5)).toEqual({ statements: 3 + idle, commits: 2 + idle })
  expect(await costOf(25)).toEqual({ statements: 3 * 3 + idle, commits: 3 * 2 + idle })
})

test('a failed event uses one statement for its lock and one for its failure; a failed batch uses one more statement', async () => {
  const fail = () => Promise.reject(new Error('no'))
  const idle = 2
  expect(await costOf(1, fail)).toEqual({ statements: 1 + 2 + idle, commits: 1 + 2 + idle })
  expect(await costOf(5, fail)).toEqual({ statements: 1 + 1 + 5 * 2 + idle, commits: 1 + 1 + 5 * 2 + idle })
})

test('appending uses one statement for any number of events', async () => {
  const recorded = recordStatements()
  await recorded.observe(database).transaction((tx) => appendToOutbox(tx, event(), event(), event()))
  expect(recorded.statements).toHaveLength(1)
})
