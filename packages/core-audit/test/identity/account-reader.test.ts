import { AsyncLocalStorage } from 'node:async_hooks'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { createAccountReader } from '../../src/identity/account-reader.ts'
import { loadAccounts } from '../../src/identity/queries/load-accounts.ts'
import { holdTransaction, untilBlocked } from '../../src/testing/index.ts'
import { openPool } from '../harness.ts'
import { useSecurityHost } from './harness.ts'

const host = useSecurityHost()

/** Opens a reader over its own pool, and a second pool for the other side of a race. */
function openReader() {
  const recorded = recordStatements()
  const read = createAccountReader(recorded.observe(openPool(host.databaseUrl)))
  return { read, recorded, database: openPool(host.databaseUrl) }
}

const of = (subject: string, ...tokenRoleCodes: readonly string[]) => ({ subject, tokenRoleCodes })

test('requests that wait at the same time share one statement, and each gets its own account', async () => {
  const granted = await host.makeRole('reader-granted', ['system.roles.view'])
  const assigned = await host.makeRole('reader-assigned', ['system.users.view'])
  await host.makeUser('reader-one', [assigned])
  await host.makeUser('reader-two', [])
  const { read, recorded } = openReader()
  const accounts = await Promise.all([
    read(of('reader-one')),
    read(of('reader-one', granted.code, assigned.code)),
    read(of('reader-two')),
    read(of('reader-two', granted.code)),
    read(of('reader-nobody')),
    read(of('reader-nobody', granted.code, 'reader-missing')),
  ])
  const roles = accounts.map(({ record, roles: held, permissions }) => [
    record?.displayName ?? null,
    held.map(({ code, source }) => `${code} ${source}`),
    [...permissions],
  ])
  expect(roles).toEqual([
    ['reader-one', ['reader-assigned assigned'], ['system.users.view']],
    [
      'reader-one',
      ['reader-assigned assigned', 'reader-granted token'],
      ['system.users.view', 'system.roles.view'],
    ],
    ['reader-two', [], []],
    ['reader-two', ['reader-granted token'], ['system.roles.view']],
    [null, [], []],
    [null, ['reader-granted token'], ['system.roles.view']],
  ])
  // The first request starts immediately, and all others wait for its statement.
  expect(recorded.count).toBe(2)
})

test('a request that arrives while a statement runs never gets an account of that statement', async () => {
  const role = await host.makeRole('reader-revoked', ['system.roles.view'])
  const user = await host.makeUser('reader-late', [role])
  const database = openPool(host.databaseUrl)
  const executed = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const read = createAccountReader({
    ...database,
    async read(work) {
      const result = await database.read(work)
      executed.resolve()
      await answered.promise
      return result
    },
  })
  const early = read(of('reader-late'))
  await executed.promise
  await database.statement((tx) =>
    tx.execute(sql`delete from core_audit.user_roles where user_id = ${user.id}::uuid`),
  )
  const late = read(of('reader-late'))
  answered.resolve()
  expect((await early).roles).toMatchObject([{ code: 'reader-revoked' }])
  expect((await late).roles).toEqual([])
})

test('requests do not wait for a statement that is blocked', async () => {
  await host.makeUser('reader-free', [])
  const { read, database } = openReader()
  const held = await holdTransaction(database, (tx) => tx.execute(sql`lock table core_audit.users`))
  const requests = [read(of('reader-free'))]
  await untilBlocked(database, 1)
  requests.push(read(of('reader-free')))
  await untilBlocked(database, 2)
  await held.commit()
  expect(await Promise.all(requests)).toMatchObject([
    { record: { displayName: 'reader-free' } },
    { record: { displayName: 'reader-free' } },
  ])
})

test('a subject that the database cannot store fails only its own request', async () => {
  await host.makeUser('reader-good', [])
  const { read } = openReader()
  const results = await Promise.allSettled([
    read(of('reader-good')),
    read(of('reader-good')),
    read(of('reader\0bad')),
    read(of('reader-good')),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
})

test('a hundred requests share a statement, and further requests use the next one', async () => {
  await host.makeUser('reader-many', [])
  const { read, recorded } = openReader()
  await Promise.all(Array.from({ length: 202 }, () => read(of('reader-many'))))
  expect(recorded.count).toBe(4)
})

test('each statement runs in the context of one of its requests, for its span', async () => {
  const database = openPool(host.databaseUrl)
  const context = new AsyncLocalStorage<string>()
  const contexts: (string | undefined)[] = []
  // The answer is already known, so the second statement starts when the first has ended, not when a timer fires.
  const known = await database.read((db) => loadAccounts(db, [of('reader-traced')]))
  const read = createAccountReader({
    ...database,
    async read() {
      contexts.push(context.getStore())
      return known as never
    },
  })
  const requests = ['early', 'late'].map((name) => context.run(name, () => read(of('reader-traced'))))
  await Promise.all(requests)
  expect(contexts).toEqual(['early', 'late'])
})
