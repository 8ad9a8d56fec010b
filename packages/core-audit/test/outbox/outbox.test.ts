import { createLogger, startWorkers } from '@vertical-kit/core-audit/host'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { event } from './events.ts'
import { type Outbox as OutboxDatabase, openOutbox } from './harness.ts'

let place: OutboxDatabase
beforeAll(async () => {
  place = await openOutbox(['mail', 'search'])
})
afterAll(() => place.close())
beforeEach(() => place.clear())

/** Creates an outbox with a very long poll interval, so only a wake-up starts further cycles. */
const open = () =>
  createOutbox({ database: place.database, config: { ...outboxDefaults, pollIntervalMs: 2 ** 31 - 1 } })

/** Runs the consumers of an outbox until the test ends. Resolves when each consumer has finished its first cycle. */
async function process(outbox: ReturnType<typeof open>): Promise<void> {
  const idle: Promise<void>[] = []
  const workers = (outbox.processing.workers ?? []).map((worker) => {
    const looked = Promise.withResolvers<void>()
    idle.push(looked.promise)
    return {
      ...worker,
      async runOnce(...cycle: Parameters<typeof worker.runOnce>) {
        await worker.runOnce(...cycle)
        looked.resolve()
      },
    }
  })
  const running = startWorkers(workers, createLogger({ level: 'silent' }))
  onTestFinished(() => running.stop())
  await Promise.all(idle)
}

/** Counts how often an outbox wakes its consumers. */
function countWakes(outbox: ReturnType<typeof open>): { readonly count: number } {
  const wakes = { count: 0 }
  const { worker } = outbox.consume({ name: 'mail', healthName: 'mail', handle: async () => {} })
  const listen = (): void => {
    worker.bell?.listen(() => {
      wakes.count += 1
      listen()
    })
  }
  listen()
  return wakes
}

test('an appended event reaches every consumer of the process without waiting for a poll', async () => {
  const outbox = open()
  const [mailed, indexed] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const [mail, search] = [mailed, indexed].map(
    ({ resolve }) =>
      async (_tx: unknown, events: readonly { subject: string }[]) =>
        resolve(events.map(({ subject }) => subject).join()),
  )
  if (mail === undefined || search === undefined) throw new Error('two handlers expected')
  outbox.consume({ name: 'mail', healthName: 'mail', handle: mail })
  outbox.consume({ name: 'search', healthName: 'search', handle: search })
  await process(outbox)
  await place.database.transaction((tx) => outbox.append(tx, event({ subject: 'thing/woken' })))
  expect(await Promise.all([mailed.promise, indexed.promise])).toEqual(['thing/woken', 'thing/woken'])
})

describe('the consumers of a process', () => {
  test('wake once for each commit, regardless of the number of its events and statements', async () => {
    const outbox = open()
    const wakes = countWakes(outbox)
    await place.database.transaction(async (tx) => {
      await outbox.append(tx, event(), event())
      await outbox.append(tx, event())
      await tx.savepoint((part) => outbox.append(part, event()))
      expect(wakes.count).toBe(0)
    })
    expect(wakes.count).toBe(1)
  })

  test('wake for an event inserted as part of one statement', async () => {
    const outbox = open()
    const wakes = countWakes(outbox)
    await place.database.statement((tx) =>
      tx.execute(sql`with event as (${outbox.insert(tx, [event({ subject: 'thing/inserted' })])}) select 1`),
    )
    expect(wakes.count).toBe(1)
    expect(await place.deliveries()).toMatchObject([{ subject: 'thing/inserted' }, {}])
  })

  test('do not wake for a transaction that is rolled back', async () => {
    const outbox = open()
    const wakes = countWakes(outbox)
    const undone = place.database.transaction(async (tx) => {
      await outbox.append(tx, event())
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(wakes.count).toBe(0)
    expect(await place.deliveries()).toEqual([])
  })
})

test('insert() requires at least one event', async () => {
  const outbox = open()
  await expect(place.database.transaction(async (tx) => outbox.insert(tx, []))).rejects.toThrow(TypeError)
})

test('a second consumer with the same name is rejected', () => {
  const outbox = open()
  const mail = { name: 'mail', healthName: 'mail', handle: async () => {} }
  outbox.consume(mail)
  expect(() => outbox.consume(mail)).toThrow(new TypeError('name: the consumer mail already exists'))
})

test('every host prunes events, but only hosts with outbox.processing run the consumers', () => {
  const outbox = open()
  outbox.consume({ name: 'mail', healthName: 'mailOutbox', handle: async () => {} })
  expect(outbox.workers?.map(({ name }) => name)).toEqual(['outbox.retention'])
  expect(outbox.health).toBeUndefined()
  expect(outbox.processing).toMatchObject({
    workers: [{ name: 'outbox.mail' }],
    health: [{ name: 'mailOutbox' }],
  })
})
