import { createDatabase, type Database, databaseDefaults, type Tx } from '@vertical-kit/core-audit/database'
import {
  type ClientMessage,
  type MessageAction,
  type PostgresProxy,
  startPostgresProxy,
} from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import postgres from 'postgres'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { openDatabase, refusalOf, runSql } from '../harness.ts'

// Only the answer deadline can end these waits: timeouts of the server have no effect, because messages are lost.

let fresh: FreshDatabase
let proxy: PostgresProxy
let operator: postgres.Sql
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(fresh.url, 'create table public.words (word text not null)')
  proxy = await startPostgresProxy(fresh.url)
  operator = postgres(fresh.url, { max: 1, onnotice: () => {} })
})
beforeEach(() => runSql(fresh.url, 'truncate public.words'))
afterEach(() => {
  proxy.decide = undefined
})
afterAll(async () => {
  await operator.end()
  await proxy.stop()
  await fresh.drop()
})

/** Opens a pool that connects through the proxy and has this answer deadline. */
function openPool(answerMs: number, poolMax = 1): Database {
  const database = createDatabase({
    ...databaseDefaults,
    url: proxy.url,
    poolMax,
    poolWaitMs: 60_000,
    statementTimeoutMs: answerMs - 100,
    answerMarginMs: 100,
  })
  onTestFinished(() => database.close())
  return database
}

/** A short answer deadline, for tests in which the work needs no answer or is retried. */
const shortMs = 300
/** A long answer deadline, for tests in which the work needs an answer first, even on a busy machine. */
const longMs = 3_000

/** Applies the action to the first message that matches. `hasCome` becomes true when this message is sent. */
function once(
  matches: (message: ClientMessage) => boolean,
  action: MessageAction,
): { readonly hasCome: boolean } {
  const state = { hasCome: false }
  proxy.decide = (message) => {
    if (state.hasCome || !matches(message)) return 'pass'
    state.hasCome = true
    return action
  }
  return state
}

/** Matches whole words: the text of `begin` contains `committed`. */
const contains =
  (text: string) =>
  (message: ClientMessage): boolean =>
    new RegExp(`\\b${text}\\b`).test(message.text)

const insert = (tx: Pick<Tx, 'execute'>, word: string) =>
  tx.execute(sql`insert into public.words (word) values (${word})`)

const ask = (database: Database) => database.read((db) => db.execute<{ one: number }>(sql`select 1 as one`))

const words = async (): Promise<readonly string[]> => {
  const rows = await operator<{ word: string }[]>`select word from public.words order by word`
  return rows.map(({ word }) => word)
}

/** Waits until a read succeeds on a new connection. A busy machine can need several attempts. */
async function expectUsable(database: Database): Promise<void> {
  const answer = () => ask(database).catch(() => [])
  await expect.poll(answer).toEqual([{ one: 1 }])
  expect(database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
}

/** Repeats the work until the action was applied. Each run must be rejected: on a busy machine, earlier runs time out. */
async function expectRefused(message: { readonly hasCome: boolean }, work: () => Promise<unknown>) {
  do expect(await refusalOf(work())).toBe('service.unavailable')
  while (!message.hasCome)
}

test('if all connections fall silent, running work is rejected and waiting work uses new connections', async () => {
  const database = openPool(longMs, 3)
  const { promise: silenced, resolve: resolveSilenced } = Promise.withResolvers<void>()
  const arrived = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const running = arrived.map(({ resolve }) =>
    refusalOf(
      database.transaction(async (tx) => {
        await insert(tx, 'lost')
        resolve()
        await silenced
        await insert(tx, 'lost too')
      }),
    ),
  )
  await Promise.all(arrived.map(({ promise }) => promise))
  const waiting = Array.from({ length: 9 }, () => ask(database))
  await vi.waitUntil(() => database.load.waitingCount === 9)
  proxy.silence()
  resolveSilenced()

  expect(await Promise.all(running)).toEqual(Array.from({ length: 3 }, () => 'service.unavailable'))
  for (const rows of await Promise.all(waiting)) expect([...rows]).toEqual([{ one: 1 }])
  await expectUsable(database)
})

test('an idle connection that falls silent rejects its next statement and is replaced', async () => {
  const database = openPool(shortMs)
  await expectUsable(database)
  proxy.silence()
  expect(await refusalOf(ask(database))).toBe('service.unavailable')
  await expectUsable(database)
})

test.each<[string, MessageAction, readonly string[]]>([
  ['does not reach the server', 'swallow', []],
  ['is executed, but not answered', 'swallow-answer', ['unknown']],
])('a commit that %s rejects the transaction', async (_case, action, kept) => {
  const database = openPool(shortMs)
  const commit = once(contains('commit'), action)
  await expectRefused(commit, () => database.transaction((tx) => insert(tx, 'unknown')))
  await expectUsable(database)
  await expect.poll(words).toEqual(kept)
})

describe.each<MessageAction>(['swallow', 'swallow-answer'])('with the proxy action %s', (action) => {
  test.each<[string, string, (tx: Tx) => Promise<unknown>]>([
    ['begin', 'begin', async () => undefined],
    ['savepoint', 'savepoint', (tx) => tx.savepoint((part) => insert(part, 'b'))],
    ['statement', 'insert into', (tx) => insert(tx, 'a')],
    ['statement of a savepoint', 'insert into', (tx) => tx.savepoint((part) => insert(part, 'a'))],
    [
      'rollback to a savepoint',
      'rollback to',
      (tx) => tx.savepoint(() => Promise.reject(new Error('undo'))).catch(() => insert(tx, 'c')),
    ],
  ])('an unanswered %s rejects the transaction', async (_case, text, work) => {
    const database = openPool(shortMs)
    const message = once(contains(text), action)
    await expectRefused(message, () => database.transaction(work))
    await expectUsable(database)
    expect(await words()).toEqual([])
  })

  test('an unanswered rollback rejects the transaction', async () => {
    const database = openPool(shortMs)
    const message = once(contains('rollback'), action)
    await expectRefused(message, () => database.transaction(() => Promise.reject(new Error('undo'))))
    await expectUsable(database)
  })

  test('an unanswered single statement is rejected', async () => {
    const database = openPool(shortMs)
    const message = once((client) => client.type === 'E', action)
    await expectRefused(message, () => database.statement((tx) => insert(tx, 'a')))
    await expectUsable(database)
  })

  test.each([
    ['startup', 'startup'],
    ['password', 'p'],
  ])('an unanswered %s message rejects the read', async (_name, type) => {
    const database = openPool(shortMs)
    const message = once((client) => client.type === type, action)
    await expectRefused(message, () => ask(database))
    await expectUsable(database)
  })
})

test('if one statement is not answered, all pending statements of the transaction are rejected', async () => {
  const database = openPool(longMs)
  const message = once(contains('insert into'), 'swallow')
  const settled: string[] = []
  const attempt = database.transaction(async (tx) => {
    const sent = [1, 2, 3].map((n) => insert(tx, String(n)))
    sent.push(tx.savepoint((part) => insert(part, '4')))
    for (const { status } of await Promise.allSettled(sent)) settled.push(status)
    return 'committed'
  })
  expect(await refusalOf(attempt)).toBe('service.unavailable')
  expect(message.hasCome).toBe(true)
  await vi.waitUntil(() => settled.length > 0)
  expect(settled).toEqual(Array.from({ length: 4 }, () => 'rejected'))
  expect(await words()).toEqual([])
})

test('the answer deadline ignores the pause between two statements of a transaction', async () => {
  const database = openPool(longMs)
  const word = await database.transaction(async (tx) => {
    await insert(tx, 'a')
    // This pause is longer than the answer deadline. The server measures it on another connection.
    await operator`select pg_sleep(3.1)`
    await insert(tx, 'b')
    return 'committed'
  })
  expect(word).toBe('committed')
  expect(await words()).toEqual(['a', 'b'])
})
