import type { Database } from '@vertical-kit/core-audit/database'
import { type PlanNode, plansOf, readCountOf, recordStatements } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Claim, claimDeliveries, nextDeliveryAt } from '../../src/outbox/commands/claim-deliveries.ts'
import { completeDeliveries } from '../../src/outbox/commands/complete-deliveries.ts'
import { failDelivery } from '../../src/outbox/commands/fail-delivery.ts'
import { holdLeases } from '../../src/outbox/commands/hold-leases.ts'
import { pruneEvents } from '../../src/outbox/commands/prune-events.ts'
import { releaseClaims } from '../../src/outbox/commands/release-claims.ts'
import { checkConsumerConfig, checkRetentionConfig } from '../../src/outbox/config.ts'
import { findEventHistory } from '../../src/outbox/queries/find-event-history.ts'
import { listDeadLetters } from '../../src/outbox/queries/list-dead-letters.ts'
import { summarizeOutbox } from '../../src/outbox/queries/summarize-outbox.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
beforeAll(async () => {
  outbox = await openOutbox(['mail', 'other'])
  await fill(outbox.database)
})
afterAll(() => outbox.close())

const finishedCount = 60_000
/** Number of deliveries of one subject. The first delivery waits for a retry. */
const backlogCount = 1_000

/** Creates many finished deliveries, some dead letters, one subject with a long backlog, and some due deliveries. */
async function fill(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
      select gen_random_uuid(), kind, 'things',
        case kind when 'backlog' then 'busy' else kind || '/' || n % 20000 end, 1, '{}'
      from (
        select 'finished' as kind, n from generate_series(1, ${finishedCount}::int) n
        union all select 'backlog', n from generate_series(1, ${backlogCount}::int) n
        union all select 'dead', n from generate_series(1, 200) n
        union all select 'due', n from generate_series(1, 200) n
      ) events`)
    await tx.execute(sql`
      update core_audit.outbox_deliveries d
      set state = case e.type when 'finished' then 'completed' when 'dead' then 'dead' else 'pending' end,
        available_at = case e.type when 'backlog' then 'infinity' else d.available_at end
      from core_audit.outbox_events e
      where e.id = d.event_id`)
    await tx.execute(sql`
      insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
      select event_id, consumer, 1, statement_timestamp(), 'completed'
      from core_audit.outbox_deliveries where state <> 'pending'`)
  })
  for (const table of ['outbox_events', 'outbox_deliveries', 'outbox_attempts']) {
    await database.statement((tx) => tx.execute(sql.raw(`vacuum analyze core_audit.${table}`)))
  }
}

const config = checkConsumerConfig({ pollIntervalMs: 10, batchSize: 25, maxAttempts: 8 })
const claimWith = (which: Parameters<typeof claimDeliveries>[2]['which']) => (database: Database) =>
  database.statement((tx) =>
    claimDeliveries(tx, config, { consumer: 'mail', leaseToken: crypto.randomUUID(), which }),
  )
async function someClaim(): Promise<Claim> {
  const { claims } = await claimWith({ kind: 'fresh', after: '' })(outbox.database)
  return claims[0] as Claim
}

const indexOf = (name: string) => (nodes: readonly PlanNode[]) =>
  nodes.some((node) => node['Index Name'] === name)

describe.each<[what: string, work: (database: Database) => Promise<unknown>, index: string]>([
  ['a claim of fresh deliveries', claimWith({ kind: 'fresh', after: '' }), 'outbox_deliveries_by_subject'],
  ['a claim of a suspect', claimWith({ kind: 'suspect' }), 'outbox_deliveries_by_subject'],
  [
    'locking a lease',
    async (database) => {
      const claim = await someClaim()
      await database.transaction((tx) => holdLeases(tx, [claim]))
    },
    'outbox_deliveries_pkey',
  ],
  [
    'completing a delivery',
    async (database) => {
      const claim = await someClaim()
      await database.transaction((tx) => completeDeliveries(tx, [claim]))
    },
    'outbox_deliveries_pkey',
  ],
  [
    'recording a failure',
    async (database) => {
      const claim = await someClaim()
      const outcome = { state: 'pending', delayMs: 2_000 } as const
      await database.statement((tx) => failDelivery(tx, { claim, outcome, failure: {} }))
    },
    'outbox_deliveries_pkey',
  ],
  [
    'releasing claims',
    async (database) => {
      const claim = await someClaim()
      await database.statement((tx) => releaseClaims(tx, [claim]))
    },
    'outbox_deliveries_pkey',
  ],
  [
    'a summary of one consumer',
    (database) => database.read((db) => summarizeOutbox(db, 'mail')),
    'outbox_deliveries_by_subject',
  ],
  [
    'a list of dead letters',
    (database) => database.read((db) => listDeadLetters(db, { consumer: null, limit: 50, cursor: null })),
    'outbox_deliveries_dead',
  ],
  [
    'the history of an event',
    async (database) => {
      const { event } = await someClaim()
      await database.read((db) => findEventHistory(db, event.id))
    },
    'outbox_attempts_by_delivery',
  ],
  [
    'pruning',
    (database) =>
      database.transaction((tx) => pruneEvents(tx, checkRetentionConfig({ retentionMs: 1_000_000 }), '0')),
    'outbox_events_position_key',
  ],
])('%s', (_what, work, index) => {
  test('uses only indexes, regardless of the number of finished deliveries', async () => {
    const recorded = recordStatements()
    await work(recorded.observe(outbox.database))
    expect(recorded.statements.length).toBeGreaterThan(0)
    const plans = (await Promise.all(recorded.statements.map((one) => plansOf(outbox.database, one)))).flat()
    expect(plans.some(indexOf(index))).toBe(true)
    const scanned = plans
      .flat()
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name'])
    // Only a few consumers exist, so a sequential scan of their table is acceptable.
    expect(scanned.filter((table) => table !== 'outbox_consumers')).toEqual([])
  })
})

/** Returns how many rows of unfinished deliveries a statement reads. */
async function readBy(database: Database, statement: SQL): Promise<number> {
  const [forValues] = await plansOf(database, statement)
  return (forValues ?? [])
    .filter((node) => node['Relation Name'] === 'outbox_deliveries')
    .reduce((sum, node) => sum + readCountOf(node), 0)
}

/** Returns how many rows of unfinished deliveries a claim reads. */
async function readByClaim({ database }: Outbox, consumer: string): Promise<number> {
  const recorded = recordStatements()
  await recorded.observe(database).statement((tx) =>
    claimDeliveries(tx, config, {
      consumer,
      leaseToken: crypto.randomUUID(),
      which: { kind: 'fresh', after: '' },
    }),
  )
  return readBy(database, recorded.statements[0] as SQL)
}

test('a claim reads one row for each subject with a pending delivery, and none of a subject with only dead letters', async () => {
  // The rows belong to the subject `busy` and to 25 due deliveries. There are 200 dead letters.
  expect(await readByClaim(outbox, 'other')).toBeLessThan(130)
})

test('a claim reads no dead letters of others, even if the statistics know none', async () => {
  const fresh = await openOutbox(['mail', 'other'])
  const add = (type: string) =>
    fresh.database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
        select gen_random_uuid(), ${type}, 'things', ${type} || '/' || n, 1, '{}' from generate_series(1, 3000) n`),
    )
  const set = (type: string, state: SQL) =>
    fresh.database.statement((tx) =>
      tx.execute(sql`
        update core_audit.outbox_deliveries d set state = ${state}
        from core_audit.outbox_events e where e.id = d.event_id and e.type = ${type}`),
    )
  await add('finished')
  await set('finished', sql`'completed'`)
  await fresh.database.statement((tx) => tx.execute(sql`analyze core_audit.outbox_deliveries`))
  await add('dead')
  await set('dead', sql`case d.consumer when 'other' then 'dead' else 'completed' end`)
  await add('due')
  const readCount = await readByClaim(fresh, 'mail')
  await fresh.close()
  expect(readCount).toBeLessThan(200)
})

test('an idle consumer reads no deliveries that it has found behind dead letters', async () => {
  const fresh = await openOutbox(['mail'])
  for (const state of ['dead', 'pending']) {
    await fresh.database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
        select gen_random_uuid(), ${state}, 'things', 'thing/' || n, 1, '{}' from generate_series(1, 3000) n`),
    )
    await fresh.database.statement((tx) =>
      tx.execute(sql`
        update core_audit.outbox_deliveries d set state = e.type
        from core_audit.outbox_events e where e.id = d.event_id`),
    )
  }
  await fresh.database.statement((tx) => tx.execute(sql`vacuum analyze core_audit.outbox_deliveries`))
  await makeConsumer(fresh.database, async () => {}).run()
  const readCounts = [
    await readByClaim(fresh, 'mail'),
    await readBy(fresh.database, sql`select ${nextDeliveryAt('mail')}`),
  ]
  await fresh.close()
  expect(Math.max(...readCounts)).toBeLessThan(10)
})

test('a claim reads no more than its batch even if PostgreSQL has no statistics of the table', async () => {
  const fresh = await openOutbox(['mail'])
  await fresh.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
      select gen_random_uuid(), 'due', 'things', 'due/' || n, 1, '{}' from generate_series(1, 3000) n`),
  )
  const readCount = await readByClaim(fresh, 'mail')
  await fresh.close()
  expect(readCount).toBeLessThan(150)
})
