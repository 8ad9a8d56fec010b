import { appendToOutbox, type Database } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'
import { recordStatements } from './record-statements.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  database = outbox.database
})
afterAll(() => outbox.close())
beforeEach(() => outbox.clear())

/** How many statements and commits a cycle takes for that many events, besides those of the handler. */
async function costOf(eventCount: number, handle: () => Promise<void> = async () => {}) {
  const events = Array.from({ length: eventCount }, () => event())
  await database.transaction((tx) => appendToOutbox(tx, ...events))
  const recorded = recordStatements()
  const config = { batchSize: 10, pollIntervalMs: 60_000 }
  await makeConsumer(recorded.observe(database), handle, { config }).run()
  return { statements: recorded.statements.length, commits: recorded.commitCount }
}

test('a cycle without work is one look at the fresh ones and one at the suspects', async () => {
  expect(await costOf(0)).toEqual({ statements: 2, commits: 2 })
})

test('an event costs two statements and a commit, and its batch one of each', async () => {
  const idle = 2
  // 5 in one claim; 25 in three.
  expect(await costOf(5)).toEqual({ statements: 1 + 5 * 2 + idle, commits: 1 + 5 + idle })
  expect(await costOf(25)).toEqual({ statements: 3 + 25 * 2 + idle, commits: 3 + 25 + idle })
})

test('a failed event costs a statement to hold it and one to record why', async () => {
  const cost = await costOf(5, () => Promise.reject(new Error('no')))
  expect(cost).toEqual({ statements: 1 + 5 * 2 + 2, commits: 1 + 5 * 2 + 2 })
})

test('appending is one statement, whoever consumes', async () => {
  const recorded = recordStatements()
  await recorded.observe(database).transaction((tx) => appendToOutbox(tx, event(), event(), event()))
  expect(recorded.statements).toHaveLength(1)
})
