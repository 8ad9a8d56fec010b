import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { on } from '../../src/event-handlers/event-handler.ts'
import { collectPayment, settled } from '../definitions.ts'
import {
  append,
  clear,
  type Desk,
  deliverAgain,
  deliveryStates,
  forgetEvents,
  letTimePass,
  makeProcessor,
  openDesk,
  tasksOf,
} from '../desk.ts'
import { sourceOf, versions } from '../items.ts'
import { addUser } from '../people.ts'

let desk: Desk
let database: Database
const users: Record<string, string> = {}
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  users['clerk'] = await addUser(database, 'clerk', ['trade.clerk'])
  users['blind'] = await addUser(database, 'blind', ['trade.auditor'])
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const Data = v.object({ invoiceId: v.string(), isBroken: v.optional(v.boolean(), false) })
const source = sourceOf('trade.sales_order')

/**
 * `posted` creates a task. `paid` completes this task and creates a notification. Auditors have no permission to view
 * orders.
 */
const posted = on({ type: 'trade.posted', schema: Data }, (inbox, { data }) => {
  if (data.isBroken) throw new RangeError('a broken event')
  inbox.createTask(collectPayment, {
    deduplicationKey: data.invoiceId,
    title: `Collect ${data.invoiceId}`,
    source,
    assignedTo: { roleCode: 'trade.clerk' },
  })
})
const paid = on({ type: 'trade.paid', schema: Data }, (inbox, { data }) => {
  inbox.completeTask(collectPayment, data.invoiceId)
  inbox.createNotification(settled, { deduplicationKey: data.invoiceId, title: 'Settled', source })
})
const eventHandlers = [posted, paid]
const about = (type: string, invoiceId: string, rest: object = {}) => ({
  type,
  subject: `document/${invoiceId}`,
  data: { invoiceId, ...rest },
})

test('the writes of event handlers commit together with the mark of the handled event, before versions are announced', async () => {
  await append(database, about('trade.posted', 'SI-1'), { type: 'trade.unheard_of' })
  const processor = makeProcessor(database, eventHandlers)
  await processor.run()
  expect(await tasksOf(database)).toMatchObject([{ deduplication_key: 'SI-1', status: 'Open' }])
  expect(processor.announced).toEqual([new Map([[users['clerk'], 1]])])
  expect((await deliveryStates(database))['pending']).toBeUndefined()
})

test('an event raises by one only the versions of users that see its items', async () => {
  await append(database, about('trade.posted', 'SI-2'), about('trade.paid', 'SI-2'))
  const processor = makeProcessor(database, eventHandlers)
  await processor.run()
  expect(processor.announced).toEqual([new Map([[users['clerk'], 1]]), new Map([[users['clerk'], 2]])])
  expect(await versions(database)).toEqual(new Map([[users['clerk'], 2]]))
})

test('several events in one batch raise each version by one, and are announced together', async () => {
  const keys = ['SI-8', 'SI-9', 'SI-10']
  await append(database, ...keys.map((key) => about('trade.posted', key)))
  const processor = makeProcessor(database, eventHandlers)
  await processor.run()
  expect(await tasksOf(database)).toHaveLength(keys.length)
  expect(processor.announced).toEqual([new Map([[users['clerk'], 1]])])
  await forgetEvents(database)
  await append(database, ...keys.map((key) => about('trade.paid', key)))
  await processor.run()
  expect((await tasksOf(database)).map(({ status }) => status)).toEqual(keys.map(() => 'Completed'))
  expect(processor.announced).toHaveLength(2)
  expect(await versions(database)).toEqual(new Map([[users['clerk'], 2]]))
})

describe('the same event', () => {
  test('takes effect only once if it is delivered five times', async () => {
    const processor = makeProcessor(database, eventHandlers)
    for (const type of ['trade.posted', 'trade.paid']) {
      await clear(database)
      if (type === 'trade.paid') {
        await append(database, about('trade.posted', 'SI-3'))
        await processor.run()
        await forgetEvents(database)
      }
      await append(database, about(type, 'SI-3'))
      await processor.run()
      const before = [await tasksOf(database), await versions(database), processor.announced.length]
      for (let delivery = 2; delivery <= 5; delivery += 1) {
        await deliverAgain(database)
        await processor.run()
        expect([await tasksOf(database), await versions(database), processor.announced.length]).toEqual(
          before,
        )
      }
    }
  })

  test('creates one task if it occurs for five subjects in one batch', async () => {
    for (let n = 0; n < 5; n += 1) {
      await append(database, { ...about('trade.posted', 'SI-4'), subject: `thing/${newId()}` })
    }
    const processor = makeProcessor(database, eventHandlers)
    await processor.run()
    expect(await tasksOf(database)).toMatchObject([{ version: 1 }])
    expect(processor.announced).toEqual([new Map([[users['clerk'], 1]])])
    expect(processor.logged).toEqual([])
  })

  test('creates one task if it occurs for five subjects and two processors handle it concurrently', async () => {
    for (let n = 0; n < 5; n += 1) {
      await append(database, { ...about('trade.posted', 'SI-4'), subject: `thing/${newId()}` })
    }
    const processors = [
      makeProcessor(database, eventHandlers, { batchSize: 1 }),
      makeProcessor(desk.openPool(), eventHandlers, { batchSize: 1 }),
    ]
    await Promise.all(processors.map((processor) => processor.run()))
    expect(await tasksOf(database)).toMatchObject([{ version: 1 }])
    expect(await versions(database)).toEqual(new Map([[users['clerk'], 1]]))
    expect(processors.flatMap(({ logged }) => logged)).toEqual([])
  })
})

test('the delivery fails if the data does not match the schema, and the data is not logged', async () => {
  await append(database, { type: 'trade.posted', data: { invoiceId: 4711, iban: 'canary' } })
  const processor = makeProcessor(database, eventHandlers)
  await processor.run()
  expect(await tasksOf(database)).toEqual([])
  expect(processor.logged).toMatchObject([{ level: 'warn', err: { type: 'ValiError' } }])
  expect(JSON.stringify(processor.logged)).not.toMatch(/canary|4711\b/)
})

test('the actor and subject of an event come from its envelope, never from its data', async () => {
  const seen: unknown[] = []
  const actorUserId = users['clerk'] as string
  await append(database, {
    subject: 'thing/1',
    actorUserId,
    data: { actorUserId: 'forged', subject: 'forged' },
  })
  const looking = on(
    { type: 'trade.happened', schema: v.object({}) },
    (_inbox, event) => void seen.push(event),
  )
  await makeProcessor(database, [looking]).run()
  expect(seen).toMatchObject([{ subject: 'thing/1', actorUserId, data: {} }])
  expect(JSON.stringify(seen)).not.toContain('forged')
})

describe('an event handler that always fails', () => {
  test('creates a dead letter and delays only events of the same subject, which all run after a fix', async () => {
    const maxAttempts = 3
    await append(
      database,
      about('trade.posted', 'SI-5', { isBroken: true }),
      about('trade.paid', 'SI-5'),
      about('trade.posted', 'SI-6'),
    )
    const processor = makeProcessor(database, eventHandlers, { maxAttempts })
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      await processor.run()
      await letTimePass(database)
    }
    expect((await tasksOf(database)).map((task) => task.deduplication_key)).toEqual(['SI-6'])
    // The first attempt handled another event in the same batch.
    expect(processor.logged.map(({ level }) => level)).toEqual(['info', 'warn', 'warn', 'error'])
    expect(await processor.health.check(AbortSignal.timeout(3_000))).toEqual({
      status: 'Degraded',
      pendingCount: 1,
      failedCount: 1,
      oldestPendingAgeSeconds: null,
    })
    expect(processor.health.name).toBe('workCenterOutbox')

    const [, { event: failed }] = processor.logged as [unknown, { event: { id: string } }]
    const argv = ['retry', failed.id, '--reason', 'the event handler is fixed']
    const retry = { argv, environment: { DATABASE_URL: desk.url }, operator: 'olga', write: () => {} }
    expect(await runOutboxCommand(retry)).toBe(0)
    const fixed = on({ type: 'trade.posted', schema: Data }, (inbox, { data }) =>
      inbox.createTask(collectPayment, {
        deduplicationKey: data.invoiceId,
        title: data.invoiceId,
        source,
        assignedTo: { roleCode: 'trade.clerk' },
      }),
    )
    const restarted = makeProcessor(database, [fixed, paid], { maxAttempts })
    await restarted.run()
    expect((await tasksOf(database)).map((task) => [task.deduplication_key, task.status]).toSorted()).toEqual(
      [
        ['SI-5', 'Completed'],
        ['SI-6', 'Open'],
      ],
    )
    expect(await versions(database)).toEqual(new Map([[users['clerk'], 3]]))
    expect(await restarted.health.check(AbortSignal.timeout(3_000))).toMatchObject({ status: 'Healthy' })
  })

  test('causes a rollback of the writes of all other handlers of the same event', async () => {
    await append(database, about('trade.posted', 'SI-7'))
    const failing = on({ type: 'trade.posted', schema: Data }, () => Promise.reject(new Error('no')))
    const processor = makeProcessor(database, [posted, failing], { maxAttempts: 1 })
    await processor.run()
    expect(await tasksOf(database)).toEqual([])
    expect(await versions(database)).toEqual(new Map())
    expect(processor.announced).toEqual([])
  })
})
