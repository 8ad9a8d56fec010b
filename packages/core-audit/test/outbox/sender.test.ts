import { once } from 'node:events'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { startWorkers } from '@vertical-kit/core-audit/host'
import { holdTransaction, startPostgresProxy } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
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
beforeEach(() => runSql(outbox.url, 'truncate test.messages'))

/** A destination that answers all its messages when the test calls `answer`. */
function silentDestination() {
  const { promise, resolve } = Promise.withResolvers<'sent'>()
  return { answered: promise, answer: () => resolve('sent') }
}

/** Counts the attempts that wait for an answer of this destination. */
const leasedCount = async (toName: string): Promise<number> =>
  (await messagesOf(database)).filter((message) => message.to_name === toName && message.is_leased).length

const states = async () => new Set((await messagesOf(database)).map(({ state }) => state))

test('a silent destination with many due messages delays no other destination', async () => {
  const silent = silentDestination()
  const arrived = Promise.withResolvers<void>()
  await addMessages(database, 'silent', 6)
  await addMessages(database, 'working', 1)
  const sender = makeSender(database, async ({ to_name: toName }) => {
    if (toName === 'silent') return silent.answered
    arrived.resolve()
    return 'sent'
  })
  const running = sender.run()
  await arrived.promise
  expect(await leasedCount('silent')).toBe(2)
  silent.answer()
  await running
  expect(await states()).toEqual(new Set(['sent']))
})

test('a message that another transaction has locked delays no other destination', async () => {
  await addMessages(database, 'locked', 1)
  await addMessages(database, 'working', 1)
  const held = await holdTransaction(database, (tx) =>
    tx.execute(sql`select from test.messages where to_name = 'locked' for update`),
  )
  const sender = makeSender(database, () => Promise.resolve('sent'))
  await sender.run()
  expect(await messagesOf(database)).toMatchObject([{ state: 'pending' }, { state: 'sent' }])
  await held.commit()
  await sender.run()
  expect(await states()).toEqual(new Set(['sent']))
})

test('an accepted message is not sent again although the database is away when the attempt ends', async () => {
  await addMessages(database, 'working', 1)
  const proxy = await startPostgresProxy(outbox.url)
  const proxied = createDatabase({ ...databaseDefaults, url: proxy.url })
  onTestFinished(async () => {
    await proxied.close()
    await proxy.stop()
  })
  let [sentCount, refusedCount] = [0, 0]
  proxy.decide = ({ text }) => {
    if (!text.includes('set state = ') || refusedCount === 3) return 'pass'
    refusedCount += 1
    return 'refuse'
  }
  const sender = makeSender(proxied, async () => {
    sentCount += 1
    return 'sent'
  })
  await sender.run()
  expect(refusedCount).toBe(3)
  expect(sentCount).toBe(1)
  expect(await states()).toEqual(new Set(['sent']))
})

test('more silent destinations than slots delay no other destination', async () => {
  const silent = silentDestination()
  const arrived = Promise.withResolvers<void>()
  for (let number = 1; number <= 12; number += 1) await addMessages(database, `silent ${number}`, 3)
  await addMessages(database, 'working', 3)
  const sender = makeSender(database, async ({ to_name: toName, number }) => {
    if (toName !== 'working') return silent.answered
    if (number === 3) arrived.resolve()
    return 'sent'
  })
  const running = sender.run()
  await arrived.promise
  expect(await leasedCount('silent 12')).toBe(1)
  silent.answer()
  await running
  expect(await states()).toEqual(new Set(['sent']))
})

test('a message that becomes due while a destination is silent is sent', async () => {
  const silent = silentDestination()
  const [reached, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await addMessages(database, 'silent', 1)
  const sender = makeSender(database, async ({ to_name: toName }) => {
    if (toName !== 'silent') arrived.resolve()
    else reached.resolve()
    return toName === 'silent' ? silent.answered : 'sent'
  })
  const running = sender.run()
  await reached.promise
  await addMessages(database, 'working', 1)
  await arrived.promise
  silent.answer()
  await running
})

test('messages of a destination do not wait for a silent message before them', async () => {
  const silent = silentDestination()
  const arrived = Promise.withResolvers<void>()
  await addMessages(database, 'working', 5)
  const sender = makeSender(database, async ({ number }) => {
    if (number === 5) arrived.resolve()
    return number === 1 ? silent.answered : 'sent'
  })
  const running = sender.run()
  await arrived.promise
  silent.answer()
  await running
  expect(await states()).toEqual(new Set(['sent']))
})

test('after a failed attempt, a destination has one attempt at a time until an attempt succeeds', async () => {
  await addMessages(database, 'recovering', 9)
  let [failureCount, sendingCount] = [0, 0]
  const concurrent: number[] = []
  const bothReached = Promise.withResolvers<void>()
  const send = async ({ number }: { number: number }) => {
    sendingCount += 1
    concurrent[number] = sendingCount
    if (number === 2) bothReached.resolve()
    await bothReached.promise
    // Yields to other attempts while this one waits.
    await messagesOf(database)
    sendingCount -= 1
    if (number <= 4) {
      failureCount += 1
      throw new Error('unavailable')
    }
    return 'sent' as const
  }
  await makeSender(database, send, { maxAttempts: 1 }).run()
  expect(failureCount).toBe(4)
  expect(concurrent.slice(1, 5)).toEqual([1, 2, 1, 1])
  expect((await messagesOf(database)).map(({ state }) => state)).toEqual([
    ...Array.from({ length: 4 }, () => 'dead'),
    ...Array.from({ length: 5 }, () => 'sent'),
  ])
})

test('after a message that its destination refuses for good, the others are still sent at the same time', async () => {
  await addMessages(database, 'working', 3)
  const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const send = async ({ number }: { number: number }) => {
    if (number === 1) throw new Error('no such mailbox')
    reached[number - 2]?.resolve()
    await Promise.all(reached.map(({ promise }) => promise))
    return 'sent' as const
  }
  await makeSender(database, send, {}, { isFinal: () => true }).run()
  expect((await messagesOf(database)).map(({ state }) => state)).toEqual(['dead', 'sent', 'sent'])
})

test('a failed search is logged, and does not end the cycle while a destination is silent', async () => {
  const silent = silentDestination()
  const [reached, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFailing = false
  const unsteady: Database = {
    ...database,
    async statement(work) {
      if (!isFailing) return database.statement(work)
      isFailing = false
      throw new Error('The connection was lost')
    },
  }
  await addMessages(database, 'silent', 1)
  const sender = makeSender(unsteady, async ({ to_name: toName }) => {
    if (toName !== 'silent') arrived.resolve()
    else reached.resolve()
    return toName === 'silent' ? silent.answered : 'sent'
  })
  const running = sender.run()
  await reached.promise
  isFailing = true
  await expect.poll(() => sender.logged).toHaveLength(1)
  await addMessages(database, 'working', 1)
  await arrived.promise
  silent.answer()
  await running
  expect(await states()).toEqual(new Set(['sent']))
})

test('a sender that stops releases its messages, which are due with their former number of attempts', async () => {
  const [reached, never] = [Promise.withResolvers<void>(), new Promise<never>(() => {})]
  await addMessages(database, 'silent', 2)
  const sender = makeSender(database, async ({ number, attempt }) => {
    expect(attempt).toBe(1)
    if (number === 2) reached.resolve()
    // Ignores the signal: the sender must not wait for it.
    return never
  })
  const workers = startWorkers([sender.worker], sender.logger)
  await reached.promise
  await workers.stop()
  expect(await messagesOf(database)).toMatchObject([
    { state: 'pending', attempts: 0, is_leased: false, is_due: true },
    { state: 'pending', attempts: 0, is_leased: false, is_due: true },
  ])
  expect(sender.logged).toEqual([])
})

test('an attempt that has ended before its sender stops is stored', async () => {
  const stopping = new AbortController()
  await addMessages(database, 'working', 2)
  const sender = makeSender(
    database,
    async () => {
      stopping.abort()
      return 'sent'
    },
    { batchSize: 1 },
  )
  await sender.worker.runOnce(stopping.signal, sender.logger)
  expect(await messagesOf(database)).toMatchObject([
    { state: 'sent', attempts: 1 },
    { state: 'pending', attempts: 0, is_due: true },
  ])
})

test('a final failure ends the attempts at once, and its log names the message', async () => {
  await addMessages(database, 'gone', 1)
  const fail = () => Promise.reject(new RangeError('This recipient does not exist'))
  const sender = makeSender(
    database,
    fail,
    {},
    {
      isFinal: (error) => error instanceof RangeError,
      logFields: ({ to_name: receiver }) => ({ receiver }),
    },
  )
  await sender.run()
  expect(await messagesOf(database)).toMatchObject([{ state: 'dead', attempts: 1 }])
  expect(sender.logged).toMatchObject([{ level: 'error', receiver: 'gone', attempt: 1 }])
})

test('the health report counts only the dead letters that the sender selects', async () => {
  for (const name of ['active', 'disabled']) await addMessages(database, name, 1)
  await runSql(outbox.url, `update test.messages set state = 'dead'`)
  const health = (reportedDead: SQL) =>
    makeSender(database, async () => 'sent', {}, { reportedDead }).health()
  expect(await health(sql`to_name = 'active'`)).toMatchObject({ status: 'Degraded', failedCount: 1 })
  expect(await health(sql`to_name = 'other'`)).toMatchObject({ status: 'Healthy', failedCount: 0 })
})

test('a message that is leased while its host stops is released, and its deadline ends nothing later', async () => {
  await addMessages(database, 'working', 1)
  const stopping = new AbortController()
  // The host stops while the first lease is on its way.
  const stoppingAtLease: Database = {
    ...database,
    async statement(run) {
      const result = await database.statement(run)
      stopping.abort()
      return result
    },
  }
  const failures: unknown[] = []
  const note = (reason: unknown) => void failures.push(reason)
  process.on('unhandledRejection', note)
  try {
    const deadlineMs = 1
    const sender = makeSender(stoppingAtLease, () => Promise.reject(new Error('Sent')), { deadlineMs })
    await sender.worker.runOnce(stopping.signal)
    // This timer starts after that of the attempt, so it ends later.
    await once(AbortSignal.timeout(deadlineMs), 'abort')
    await new Promise((resolve) => setImmediate(resolve))
    expect(failures).toEqual([])
    expect(await messagesOf(database)).toMatchObject([{ state: 'pending', attempts: 0, is_leased: false }])
  } finally {
    process.off('unhandledRejection', note)
  }
})
