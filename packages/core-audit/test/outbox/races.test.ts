import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { discardDeadLetters, retryDeadLetters } from '../../src/outbox/commands/change-dead-letters.ts'
import { type ClaimedBatch, claimDeliveries } from '../../src/outbox/commands/claim-deliveries.ts'
import { checkConsumerConfig } from '../../src/outbox/config.ts'
import { runSql } from '../harness.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox, type TestConsumer } from './harness.ts'

let outbox: Outbox
let replicas: readonly Database[]
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  replicas = Array.from({ length: 4 }, () => outbox.openPool({ poolMax: 3 }))
  await runSql(
    outbox.url,
    `create schema test;
     create table test.things (subject text primary key, version int not null default 0);
     create table test.handled (ordinal bigint generated always as identity, subject text, version int);`,
  )
})
afterAll(() => outbox.close())
beforeEach(async () => {
  await outbox.clear()
  await runSql(outbox.url, 'truncate test.things, test.handled')
})

/** Changes a thing and appends its event under the lock of its row, like a document action. */
const changeThing = (database: Database, subject: string): Promise<void> =>
  database.transaction(async (tx) => {
    const [row] = await tx.execute<{ version: number }>(sql`
      update test.things set version = version + 1 where subject = ${subject} returning version`)
    await appendToOutbox(tx, event({ subject, data: { version: row?.version } }))
  })

const handled = (): Promise<readonly { subject: string; version: number }[]> =>
  outbox.database.read((db) => db.execute(sql`select subject, version from test.handled order by ordinal`))

/** Creates a replica with a handler that records events and sometimes fails after its write. */
function openReplica(
  database: Database,
  failsWhen: (draw: number) => boolean,
  maxAttempts = 1_000,
): TestConsumer {
  let draw = 0
  return makeConsumer(
    database,
    async (tx, { subject, data }) => {
      await tx.execute(sql`
        insert into test.handled (subject, version) values (${subject}, ${data['version']}::int)`)
      draw += 1
      if (failsWhen(draw)) throw new Error('unlucky')
    },
    { config: { batchSize: 4, maxAttempts } },
  )
}

const countOf = (query: SQL) => async (): Promise<number> => {
  const [row] = await outbox.database.read((db) => db.execute<{ count: number }>(query))
  return row?.count ?? 0
}
const claimedCount = countOf(
  sql`select count(*)::int as count from core_audit.outbox_deliveries where lease_token is not null`,
)
const attemptCount = (outcome: 'abandoned' | 'completed') =>
  countOf(sql`select count(*)::int as count from core_audit.outbox_attempts where outcome = ${outcome}`)()

/** Returns a database that delays its first transaction until another replica has claimed a delivery of this replica. */
function slowOnce(database: Database): Database {
  let isFirst = true
  return {
    ...database,
    async transaction(work) {
      if (isFirst) {
        isFirst = false
        await expect.poll(() => attemptCount('abandoned')).toBeGreaterThan(0)
      }
      return database.transaction(work)
    },
  }
}

/** Runs every replica repeatedly, with simulated time, until no delivery is pending. */
async function runUntilDone(consumers: readonly TestConsumer[], appending: Promise<unknown>): Promise<void> {
  let isAppending = true
  const ended = appending.finally(() => {
    isAppending = false
  })
  const isOver = async () => {
    if (isAppending) return false
    return (await outbox.deliveries()).every(({ state }) => state === 'completed')
  }
  await Promise.all(
    consumers.map(async (consumer) => {
      do {
        await consumer.run()
        await outbox.letTimePass()
      } while (!(await isOver()))
    }),
  )
  await ended
}

const subjectCount = 12
const versionCount = 15

const subjects = Array.from({ length: subjectCount }, (_, n) => `thing/${n}`)

/** Three writers change each thing concurrently. */
async function changeThings(): Promise<void> {
  await outbox.database.statement((tx) =>
    tx.execute(sql`insert into test.things (subject) select unnest(${sql.param(subjects)}::text[])`),
  )
  const writers = outbox.openPool({ poolMax: 6 })
  await Promise.all(
    [0, 1, 2].flatMap(() =>
      subjects.map(async (subject) => {
        for (let n = 0; n < versionCount / 3; n += 1) await changeThing(writers, subject)
      }),
    ),
  )
}

async function expectCommitOrder(): Promise<void> {
  const rows = await handled()
  for (const subject of subjects) {
    expect(rows.filter((row) => row.subject === subject).map(({ version }) => version)).toEqual(
      Array.from({ length: versionCount }, (_, n) => n + 1),
    )
  }
}

test('events of a subject are handled in commit order by any number of failing replicas', async () => {
  await runUntilDone(
    replicas.map((database, index) => openReplica(database, (draw) => draw % (5 + index) === 0)),
    changeThings(),
  )
  await expectCommitOrder()
})

test('events of a subject keep their order, and all are handled, while operators retry dead letters', async () => {
  let isDone = false
  let retryCount = 0
  const operators = outbox.openPool({ poolMax: 2 })
  const retryAll = async () => {
    while (!isDone) {
      for (const { eventId, state } of await outbox.deliveries()) {
        if (state !== 'dead') continue
        // Another operator can be faster.
        await operators
          .transaction((tx) => retryDeadLetters(tx, { eventId, consumer: null, reason: 'again', by }))
          .then(
            () => (retryCount += 1),
            (error: unknown) => expect(error).toMatchObject({ code: 'outbox.not_dead' }),
          )
      }
    }
  }
  const by = { operator: 'olga' }
  const retrying = Promise.all([retryAll(), retryAll()])
  await runUntilDone(
    replicas.map((database, index) => openReplica(database, (draw) => draw % (5 + index) === 0, 1)),
    changeThings(),
  )
  isDone = true
  await retrying
  expect(retryCount).toBeGreaterThan(0)
  await expectCommitOrder()
})

test('the writes for an event commit only once even if leases expire while it is handled', async () => {
  await outbox.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
      select gen_random_uuid(), 'thing.changed', 'things', 'thing/' || n % 60, 1, jsonb_build_object('version', n)
      from generate_series(1, 240) n`),
  )
  let isDone = false
  // Expire every lease immediately, so that replicas treat each other's claims as abandoned.
  const chaos = (async () => {
    while (!isDone) await outbox.letTimePass()
  })()
  const [first, ...others] = replicas.map((database, index) => (index === 0 ? slowOnce(database) : database))
  const run = (databases: readonly Database[]) =>
    runUntilDone(
      databases.map((database) => openReplica(database, () => false)),
      Promise.resolve(),
    )
  const slow = run(first === undefined ? [] : [first])
  await expect.poll(claimedCount).toBeGreaterThan(0)
  await Promise.all([slow, run(others)])
  isDone = true
  await chaos
  const versions = (await handled()).map(({ version }) => version).toSorted((a, b) => a - b)
  expect(versions).toEqual(Array.from({ length: 240 }, (_, n) => n + 1))
  expect(await attemptCount('completed')).toBe(240)
})

test('concurrent claims of several replicas never contain the same delivery, and count one attempt for each', async () => {
  await outbox.database.transaction((tx) =>
    appendToOutbox(tx, ...Array.from({ length: 300 }, (_, n) => event({ subject: `thing/${n}` }))),
  )
  const config = checkConsumerConfig({ pollIntervalMs: 10, batchSize: 3, maxAttempts: 3 })
  const claimed: string[] = []
  const claimAll = async (database: Database): Promise<void> => {
    for (let after: string | null = ''; after !== null; ) {
      const input = { consumer: 'mail', leaseToken: newId(), which: { kind: 'fresh', after } } as const
      const batch: ClaimedBatch = await database.statement((tx) => claimDeliveries(tx, config, input))
      claimed.push(...batch.claims.map(({ event: { id } }) => id))
      after = batch.next
    }
  }
  await Promise.all([...replicas, ...replicas, ...replicas].map(claimAll))
  expect(claimed).toHaveLength(300)
  expect(new Set(claimed).size).toBe(300)
  expect((await outbox.deliveries()).filter(({ attempts }) => attempts !== 1)).toEqual([])
})

test('an operator decides about a dead letter while handlers of its event run', async () => {
  const shared = await openOutbox(['mail', 'search'])
  onTestFinished(() => shared.close())
  const [running, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fail = () => Promise.reject(new Error('broken'))
  const hold = async () => {
    running.resolve()
    await end.promise
  }
  await shared.database.transaction((tx) => appendToOutbox(tx, event({})))
  const eventId = (await shared.deliveries())[0]?.eventId ?? ''
  await makeConsumer(shared.database, fail, { config: { maxAttempts: 1 } }).run()
  const searching = makeConsumer(shared.database, hold, { name: 'search' }).run()
  await running.promise
  const operators = shared.openPool({ lockTimeoutMs: 1_000 })
  const decision = { eventId, reason: 'repaired', by: { operator: 'olga' } }
  const retry = (consumer: string | null) =>
    operators.transaction((tx) => retryDeadLetters(tx, { ...decision, consumer }))
  expect(await retry('mail')).toEqual(['mail'])
  const mailing = makeConsumer(shared.database, hold).run()
  await expect.poll(async () => (await shared.deliveries()).every(({ isLeased }) => isLeased)).toBe(true)
  await expect(
    operators.transaction((tx) => discardDeadLetters(tx, { ...decision, consumer: null })),
  ).rejects.toMatchObject({
    code: 'outbox.not_dead',
    detail: expect.stringContaining('mail is pending, search is pending'),
  })
  end.resolve()
  await Promise.all([searching, mailing])
  expect((await shared.deliveries()).map(({ state }) => state)).toEqual(['completed', 'completed'])
})
