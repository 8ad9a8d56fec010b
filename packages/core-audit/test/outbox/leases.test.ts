import type { Database } from '@vertical-kit/core-audit/database'
import { plansOf } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { type Claim, claimDeliveries, nextDeliveryAt } from '../../src/outbox/commands/claim-deliveries.ts'
import { completeDeliveries } from '../../src/outbox/commands/complete-deliveries.ts'
import { failDelivery } from '../../src/outbox/commands/fail-delivery.ts'
import { holdLeases } from '../../src/outbox/commands/hold-leases.ts'
import { releaseClaims } from '../../src/outbox/commands/release-claims.ts'
import { checkConsumerConfig } from '../../src/outbox/config.ts'
import { event } from './events.ts'
import { makeBatchConsumer, makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  database = outbox.database
})
afterAll(() => outbox.close())
beforeEach(() => outbox.clear())

const config = checkConsumerConfig({ pollIntervalMs: 10, batchSize: 25, maxAttempts: 3 })
const subjects = (count: number) => Array.from({ length: count }, (_, n) => event({ subject: `thing/${n}` }))
const append = (count: number): Promise<void> =>
  database.transaction((tx) => appendToOutbox(tx, ...subjects(count)))

/** Claims deliveries like a process that ends before it handles any of them. */
const claimAndEnd = (which: Parameters<typeof claimDeliveries>[2]['which']) =>
  database.statement((tx) =>
    claimDeliveries(tx, config, { consumer: 'mail', leaseToken: crypto.randomUUID(), which }),
  )

test('a claim leases a batch and counts an attempt for each delivery', async () => {
  await append(30)
  const { claims, next } = await claimAndEnd({ kind: 'fresh', after: '' })
  expect(claims).toHaveLength(25)
  expect(new Set(claims.map(({ attempt }) => attempt))).toEqual(new Set([1]))
  const deliveries = await outbox.deliveries()
  expect(deliveries.filter(({ isLeased }) => isLeased)).toHaveLength(25)
  expect(deliveries.filter(({ attempts }) => attempts === 1)).toHaveLength(25)
  const rest = await claimAndEnd({ kind: 'fresh', after: next ?? '' })
  expect(rest.claims).toHaveLength(5)
  expect(rest.next).toBeNull()
})

test('a leased delivery can be claimed only after its lease expires, and only without other deliveries', async () => {
  await append(3)
  await claimAndEnd({ kind: 'fresh', after: '' })
  expect((await claimAndEnd({ kind: 'fresh', after: '' })).claims).toEqual([])
  expect((await claimAndEnd({ kind: 'suspect' })).claims).toEqual([])
  await outbox.letTimePass()
  expect((await claimAndEnd({ kind: 'fresh', after: '' })).claims).toEqual([])
  expect((await claimAndEnd({ kind: 'suspect' })).claims).toMatchObject([{ attempt: 2 }])
})

test('the suspect with the fewest attempts is claimed first', async () => {
  await append(2)
  await claimAndEnd({ kind: 'fresh', after: '' })
  await outbox.letTimePass()
  const first = await claimAndEnd({ kind: 'suspect' })
  await outbox.letTimePass()
  const second = await claimAndEnd({ kind: 'suspect' })
  expect(second.claims).toMatchObject([{ attempt: 2 }])
  expect(second.claims[0]?.event.id).not.toBe(first.claims[0]?.event.id)
})

test('an event without a finished attempt becomes a dead letter after its last attempt, and is logged', async () => {
  await append(1)
  await claimAndEnd({ kind: 'fresh', after: '' })
  for (const attempt of [2, 3]) {
    await outbox.letTimePass()
    expect((await claimAndEnd({ kind: 'suspect' })).claims).toMatchObject([{ attempt }])
  }
  await outbox.letTimePass()
  const consumer = makeConsumer(database, () => Promise.reject(new Error('handed out')))
  await consumer.run()
  const [delivery] = await outbox.deliveries()
  expect(delivery).toMatchObject({ state: 'dead', attempts: 3, isLeased: false })
  expect(await outbox.attempts(delivery?.eventId ?? '')).toEqual(
    [1, 2, 3].map((attempt) => ({ attempt, outcome: 'abandoned', error: null })),
  )
  expect(consumer.logged).toMatchObject([{ level: 'error', event: { id: delivery?.eventId } }])
})

test('if maxAttempts is lowered, a failed event becomes a dead letter at its next claim', async () => {
  await append(1)
  await makeConsumer(database, () => Promise.reject(new Error('no')), { config: { maxAttempts: 8 } }).run()
  await outbox.letTimePass()
  const handled: string[] = []
  const handle = async (_tx: unknown, { id }: { id: string }) => void handled.push(id)
  await makeConsumer(database, handle, { config: { maxAttempts: 1 } }).run()
  expect(handled).toEqual([])
  expect(await outbox.deliveries()).toMatchObject([{ state: 'dead', attempts: 1 }])
})

test('a consumer handles deliveries with an expired lease one by one, after the fresh deliveries', async () => {
  await append(3)
  await claimAndEnd({ kind: 'fresh', after: '' })
  await outbox.letTimePass()
  await database.transaction((tx) => appendToOutbox(tx, event({ subject: 'later' })))
  const handled: (readonly [subject: string, leased: number])[] = []
  await makeConsumer(database, async (_tx, { subject }) => {
    const leased = (await outbox.deliveries()).filter(({ state, attempts, isLeased }) => {
      return state === 'pending' && isLeased && attempts > 1
    })
    handled.push([subject, leased.length])
  }).run()
  expect(handled).toEqual([
    ['later', 0],
    ['thing/0', 1],
    ['thing/1', 1],
    ['thing/2', 1],
  ])
})

test('a suspect is handled even while fresh events keep arriving', async () => {
  await append(1)
  await claimAndEnd({ kind: 'fresh', after: '' })
  await outbox.letTimePass()
  const endless = () => database.transaction((tx) => appendToOutbox(tx, event({ subject: 'endless' })))
  await endless()
  const stopping = new AbortController()
  const consumer = makeConsumer(
    database,
    async (_tx, { subject }) => {
      if (subject === 'endless') await endless()
      else stopping.abort()
    },
    { config: { pollIntervalMs: 1 } },
  )
  await consumer.run(stopping.signal)
  expect(stopping.signal.aborted).toBe(true)
})

describe('a lost lease', () => {
  test('before its event is handled leaves this event to the process with the new lease', async () => {
    await append(2)
    const handled: string[] = []
    const consumer = makeBatchConsumer(database, async (_tx, events) => {
      if (events.length > 1) throw new Error('not together')
      for (const { subject } of events) handled.push(subject)
      await outbox.letTimePass()
      const taken = await claimAndEnd({ kind: 'suspect' })
      expect(taken.claims.map(({ event: { subject: name } }) => name)).toEqual(['thing/1'])
    })
    await consumer.run()
    expect(handled).toEqual(['thing/0'])
    expect(await outbox.deliveries()).toMatchObject([
      { state: 'completed', attempts: 1 },
      { state: 'pending', attempts: 2, isLeased: true },
    ])
    expect(consumer.logged).toMatchObject([{ level: 'info', eventCount: 2 }])
  })

  test('of one event in a batch does not affect the leases of the other events', async () => {
    await append(2)
    const { claims } = await claimAndEnd({ kind: 'fresh', after: '' })
    await outbox.letTimePass()
    const [taken] = (await claimAndEnd({ kind: 'suspect' })).claims
    const held = await database.transaction((tx) => holdLeases(tx, claims))
    expect(held).toHaveLength(1)
    expect(held[0]?.event.id).not.toBe(taken?.event.id)
  })

  test('does not allow another process to claim the event while it is being handled', async () => {
    await append(1)
    const isOver = async () => {
      const [row] = await database.read((db) =>
        db.execute(sql`select lease_until < clock_timestamp() as is_over from core_audit.outbox_deliveries`),
      )
      return row?.['is_over'] === true
    }
    const consumer = makeConsumer(
      database,
      async () => {
        while (!(await isOver()));
        expect((await claimAndEnd({ kind: 'suspect' })).claims).toEqual([])
      },
      { config: { leaseMs: 1 } },
    )
    await consumer.run()
    expect(await outbox.deliveries()).toMatchObject([{ state: 'completed', attempts: 1 }])
  })

  test('prevents handling the event and recording a failure', async () => {
    await append(1)
    const [late] = (await claimAndEnd({ kind: 'fresh', after: '' })).claims as [Claim]
    await outbox.letTimePass()
    await claimAndEnd({ kind: 'suspect' })
    expect(await database.transaction((tx) => holdLeases(tx, [late]))).toEqual([])
    const failure = { claim: late, outcome: { state: 'dead' }, failure: { type: 'Error' } } as const
    expect(await database.statement((tx) => failDelivery(tx, failure))).toBe(false)
    await database.statement((tx) => releaseClaims(tx, [late]))
    await expect(database.transaction((tx) => completeDeliveries(tx, [late]))).rejects.toThrow()
    expect(await outbox.deliveries()).toMatchObject([{ state: 'pending', attempts: 2, isLeased: true }])
    expect(await outbox.attempts(late.event.id)).toEqual([{ attempt: 1, outcome: 'abandoned', error: null }])
  })
})

describe('the worker of a consumer is due', () => {
  const { dueAt } = makeConsumer(undefined as never, async () => {}).worker
  /** Returns the name of the time at which the worker is due. */
  const due = async () => {
    const [row] = await database.read((db) =>
      db.execute<{ due: string | null }>(sql`
        select case ${dueAt ?? sql`null::timestamptz`} when available_at then 'available' when lease_until then 'lease' end as due
        from core_audit.outbox_deliveries
        order by position
        limit 1`),
    )
    return row?.due
  }

  test('when a delivery is available, or its lease ends', async () => {
    await append(1)
    expect(await due()).toBe('available')
    await claimAndEnd({ kind: 'fresh', after: '' })
    expect(await due()).toBe('lease')
  })

  test('not for deliveries that wait behind another one of their subject', async () => {
    await database.transaction((tx) =>
      appendToOutbox(tx, event({ subject: 'one' }), event({ subject: 'one' })),
    )
    await claimAndEnd({ kind: 'fresh', after: '' })
    expect(await due()).toBe('lease')
    await database.statement((tx) =>
      tx.execute(sql`
        update core_audit.outbox_deliveries set state = 'dead', lease_token = null, lease_until = null
        where lease_token is not null`),
    )
    expect(await due()).toBe(null)
  })
})

test('with a backlog, the time of the next delivery is found without reading all subjects', async () => {
  await append(500)
  for (const nodes of await plansOf(database, sql`select ${nextDeliveryAt('mail')}`)) {
    const walks = nodes.filter((node) => node['Node Type'] === 'Recursive Union')
    expect(walks.map((node) => node['Actual Rows'])).toEqual([1])
  }
})
