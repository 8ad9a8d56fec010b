import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { createMoments } from '../crash/moments.ts'
import { allBut, allPermissions, openShopHost } from '../harness.ts'
import type { Choice } from './conductor.ts'
import { expectExactlyOnce } from './expect-exactly-once.ts'
import { type Case, type Fault, type Intent, play, type Stage } from './played-case.ts'

let stage: Stage
beforeAll(async () => {
  const moments = createMoments()
  const host = await openShopHost({ observe: moments.observe, database: { lockTimeoutMs: 30_000 } })
  const onlooker = await openShopHost({ databaseUrl: host.databaseUrl })
  await host.database.statement((tx) =>
    tx.execute(sql`select core_audit.register_outbox_consumer('bookkeeper')`),
  )
  const actors = await Promise.all([
    host.as({ subject: 'Clara Clerk', permissions: allPermissions }),
    host.as({ subject: 'Carl Clerk', permissions: allPermissions }),
    host.as({ subject: 'Vera Viewer', permissions: allBut('unpost', 'write_off') }),
  ])
  stage = { host, onlooker, moments, actors }
})
afterAll(async () => {
  await stage.onlooker.close()
  await stage.host.close()
})

/** A fault at one of the moments of a request. Executions have 26 moments, derivations 28. */
const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat({ max: 27 }),
  kind: fc.constantFrom('throws' as const, 'loses its session' as const),
})

const intent: fc.Arbitrary<Intent> = fc.record({
  actor: fc.nat({ max: 2 }),
  document: fc.nat({ max: 2 }),
  action: fc.nat({ max: 30 }),
  versionOffset: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
  ),
  key: fc.nat({ max: 11 }),
})

const request = fc.record({ intent: fc.nat({ max: 8 }), fault: fc.option(fault, { freq: 2 }) })

/** A choice lasts for one statement, or for a random number of statements up to a whole request. */
const choice: fc.Arbitrary<Choice> = fc.record({
  pick: fc.nat({ max: 11 }),
  turnCount: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
})

const cases: fc.Arbitrary<Case> = fc.record({
  intents: fc.array(intent, { minLength: 4, maxLength: 9 }),
  players: fc.array(fc.array(request, { minLength: 2, maxLength: 6 }), { minLength: 2, maxLength: 4 }),
  choices: fc.array(choice, { minLength: 1, maxLength: 30 }),
})

/** The number of runs. Together, they take about ten seconds. */
const numRuns = 40

// A failure shows the seed, the path and the smallest failing case. With them, a new run repeats the statement order.
test('with any retries, faults and interleaving, every request is executed at most once and completely', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      await expectExactlyOnce(stage.onlooker.database, await play(stage, one))
    }),
    // Stop the search for the smallest case early enough to report a failure before the test times out.
    { numRuns, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)
