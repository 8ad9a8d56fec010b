import { CoreError } from '@vertical-kit/core-audit'
import { changeAs, holds } from '@vertical-kit/core-audit/access'
import type { MeAccess, UserPage } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { type KitEnv, requestId } from '@vertical-kit/core-audit/http'
import { createIdentity, type Principal } from '@vertical-kit/core-audit/identity'
import {
  holdTransaction,
  openTestHost,
  recordStatements,
  type TestHost,
  type TestRequest,
  untilBlocked,
} from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loggedAt, openDatabase, runSql } from '../harness.ts'
import { json, problem } from './harness.ts'

/** Routes with different results. Only `/api/both` and `/api/transactions` use the actor. `/api/invited` invites its caller. */
const routerOf = (database: Database) =>
  new Hono<KitEnv>()
    .get('/api/ok', (c) => c.json({ userId: c.get('caller').userId }))
    .post('/api/ok', (c) => c.json({ isKnown: holds(c.get('caller'), 'system.users.view') }, 201))
    .get('/api/empty', (c) => c.body(null, 204))
    .get('/api/elsewhere', (c) => c.redirect('/api/ok'))
    .get('/api/unchanged', (c) => c.body(null, 304))
    .get('/api/fault', () => {
      throw new Error('a fault')
    })
    .post('/api/invited', async (c) => {
      await invite(c.get('caller').subject)
      return c.json({})
    })
    .post('/api/both', async (c) => {
      const [one, other] = await Promise.all([c.get('actor')(), c.get('actor')()])
      return c.json([one.userId, other.userId])
    })
    // Runs one transaction after the other. Each commits, or is rolled back.
    .post('/api/transactions', async (c) => {
      const userIds: string[] = []
      for (const end of (await c.req.json()) as readonly ('commit' | 'rollback')[]) {
        const change = changeAs(database, c.var, async (_, { userId }) => {
          userIds.push(userId)
          if (end === 'rollback') throw new CoreError('roles.code_taken')
        })
        await (end === 'rollback' ? change.catch(() => {}) : change)
      }
      return c.json(userIds)
    })

let host: TestHost
let databaseUrl: string
let drop: () => Promise<void>
beforeAll(async () => {
  const fresh = await openDatabase()
  drop = () => fresh.drop()
  databaseUrl = fresh.url
  host = await openTestHost({
    databaseUrl,
    modules: (database) => [{ name: 'test', router: routerOf(database) }],
  })
})
afterAll(async () => {
  await host.close()
  await drop()
})

type UserRow = { id: string; email: string | null; display_name: string; updated_at: string }
const usersOf = (subject: string) =>
  host.database.read(async (db) => [
    ...(await db.execute<UserRow>(
      sql`select id, email, display_name, updated_at from core_audit.users where subject = ${subject}`,
    )),
  ])
const invite = async (subject: string) => {
  const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const body = { subject, email: 'ada@example.com', displayName: 'Ada', roleIds: [] }
  await json(await root('POST', '/api/security/users', { body }))
}
const access = async (request: TestRequest) => json<MeAccess>(await request('GET', '/api/security/me/access'))

test.each([
  ['GET', '/api/ok'],
  ['HEAD', '/api/ok'],
  ['POST', '/api/ok'],
  ['GET', '/api/empty'],
  ['GET', '/api/security/me/access'],
])('the first successful request %s %s creates the user record', async (method, path) => {
  const subject = `${method} ${path}`
  const request = await host.as({ subject, name: 'Ada', email: 'ada@example.com' })
  expect((await request(method, path)).ok).toBe(true)
  expect(await usersOf(subject)).toMatchObject([{ email: 'ada@example.com', display_name: 'Ada' }])
})

test.each([
  ['GET', '/api/security/users', 403],
  ['GET', '/api/nothing', 404],
  ['PATCH', '/api/ok', 405],
  ['GET', '/api/business-objects', 404],
  ['GET', '/api/elsewhere', 302],
  ['GET', '/api/unchanged', 304],
  ['GET', '/api/fault', 500],
])('%s %s with status %i creates no user record', async (method, path, status) => {
  const subject = `${method} ${path}`
  const request = await host.as({ subject })
  expect((await request(method, path)).status).toBe(status)
  expect(await usersOf(subject)).toEqual([])
})

test('a route without authentication creates no user record', async () => {
  const request = await host.as({ subject: 'visitor' })
  expect((await request('GET', '/health/live')).status).toBe(200)
  expect(await usersOf('visitor')).toEqual([])
})

test('an administrator by token also receives a user record and is listed', async () => {
  const request = await host.as({ subject: 'boss', roles: ['platform-admin'] })
  const { userId } = await access(request)
  const { items } = await json<UserPage>(await request('GET', '/api/security/users?limit=100'))
  expect(items).toContainEqual(expect.objectContaining({ id: userId, subject: 'boss', roles: [] }))
})

test('the first request for the caller’s access returns the new user id', async () => {
  const request = await host.as({ subject: 'new' })
  const { userId } = await access(request)
  expect(await usersOf('new')).toMatchObject([{ id: userId }])
  expect((await access(request)).userId).toBe(userId)
})

test('concurrent first requests of a user create one user record', async () => {
  const request = await host.as({ subject: 'twin' })
  const ids = await Promise.all(Array.from({ length: 8 }, async () => (await access(request)).userId))
  expect(await usersOf('twin')).toMatchObject([{ id: ids[0] }])
  expect(new Set(ids).size).toBe(1)
})

/** Creates an application with the routes above. The bearer token of a request is the subject of its user. */
function openApp(database: Database, profile: Partial<Pick<Principal, 'email' | 'displayName'>> = {}) {
  const { authenticate } = createIdentity({
    ...{ database, outbox: host.outbox, modules: [], administratorRoleCodes: [] },
    tokens: {
      verify: async (subject) => ({
        ...{ subject, email: null, displayName: null, ...profile },
        ...{ isAdministrator: false, expiresAtMs: Number.POSITIVE_INFINITY },
      }),
    },
  })
  return new Hono<KitEnv>().use(requestId(), authenticate).route('/', routerOf(database))
}

test.each([
  ['no-profile', {}, { display_name: 'Ada', email: 'ada@example.com' }],
  ['no-address', { displayName: 'Ada King' }, { display_name: 'Ada King', email: 'ada@example.com' }],
  ['no-name', { email: 'king@example.com' }, { display_name: 'Ada', email: 'king@example.com' }],
])(
  'a first request keeps the values of a concurrent invitation that its token does not contain: %s',
  async (subject, profile, stored) => {
    const app = openApp(host.database, profile)
    const headers = { Authorization: `Bearer ${subject}` }
    expect((await app.request('/api/invited', { method: 'POST', headers })).status).toBe(200)
    expect(await usersOf(subject)).toMatchObject([stored])
  },
)

test('the first request of an unknown subject uses one additional statement; later requests use none', async () => {
  const recorded = recordStatements()
  const app = openApp(recorded.observe(host.database))
  const headers = { Authorization: 'Bearer counted' }
  const statementCounts: number[] = []
  for (const method of ['POST', 'POST', 'GET']) {
    const before = recorded.statements.length
    expect((await app.request(method === 'GET' ? '/api/ok' : '/api/both', { method, headers })).ok).toBe(true)
    statementCounts.push(recorded.statements.length - before)
  }
  expect(statementCounts).toEqual([2, 1, 1])
})

/** Sends a request with these transactions. Returns the user ids, and the number of statements. */
async function runTransactions(subject: string, ends: readonly ('commit' | 'rollback')[], name?: string) {
  const recorded = recordStatements()
  const app = openApp(recorded.observe(host.database), { displayName: name ?? 'Ada' })
  const headers = { Authorization: `Bearer ${subject}` }
  const init = { method: 'POST', headers, body: JSON.stringify(ends) }
  const userIds = await json<readonly string[]>(await app.request('/api/transactions', init))
  return { userIds, count: recorded.count }
}

test('a new user record is part of the first transaction that commits', async () => {
  const { userIds, count } = await runTransactions('insider', ['rollback', 'commit', 'commit', 'rollback'])
  const [rolledBack, ...committed] = userIds
  const [{ id } = { id: '' }] = await usersOf('insider')
  expect(committed).toEqual([id, id, id])
  expect(rolledBack).not.toBe(id)
  // The account, and the record in the first two transactions.
  expect(count).toBe(3)
})

test('a successful first request creates the user record even if it rolled every transaction back', async () => {
  const { userIds } = await runTransactions('undone', ['rollback'])
  expect(await usersOf('undone')).toHaveLength(1)
  expect(await usersOf('undone')).not.toMatchObject([{ id: userIds[0] }])
})

test('the new name of a known user is stored once, before the first transaction of the request', async () => {
  await runTransactions('renamed', [])
  const { count } = await runTransactions('renamed', ['commit', 'rollback', 'commit'], 'Ada King')
  expect(count).toBe(2)
  expect(await usersOf('renamed')).toMatchObject([{ display_name: 'Ada King' }])
})

test.each(['/api/both', '/api/transactions'])(
  'the first change of a user fails at %s if a concurrent invitation was deactivated',
  async (path) => {
    const subject = `disinvited ${path}`
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`
        insert into core_audit.users (id, subject, display_name, is_active)
        values (${tx.newId()}::uuid, ${subject}, 'Ada', false)`),
    )
    const request = await host.as({ subject })
    const answer = request('POST', path, { body: ['commit'] })
    await untilBlocked(host.database)
    await held.commit()
    expect(await problem(await answer)).toMatchObject({ status: 403, code: 'auth.inactive' })
    expect(await usersOf(subject)).toMatchObject([{ display_name: 'Ada' }])
  },
)

test('requests of known users write nothing, even with a changed profile', async () => {
  const request = await host.as({ subject: 'known' })
  await access(request)
  const [before] = await usersOf('known')
  const renamed = await host.as({ subject: 'known', name: 'Other' })
  expect((await access(renamed)).displayName).toBe('Other')
  expect((await renamed('GET', '/api/ok')).status).toBe(200)
  expect(await usersOf('known')).toEqual([before])
})

test('a deactivated user is rejected', async () => {
  const request = await host.as({ subject: 'leaver' })
  const { userId } = await access(request)
  await host.database.statement((tx) =>
    tx.execute(sql`update core_audit.users set is_active = false where id = ${userId}::uuid`),
  )
  expect(await problem(await request('GET', '/api/ok'))).toMatchObject({ code: 'auth.inactive' })
})

test('a request succeeds even if the user record cannot be created, and the next request creates the record', async () => {
  await runSql(
    databaseUrl,
    `create function refuse_unlucky() returns trigger language plpgsql as
       $$ begin if new.subject = 'unlucky' then raise exception 'no'; end if; return new; end $$;
     create trigger refuse_unlucky before insert on core_audit.users
       for each row execute function refuse_unlucky()`,
  )
  const request = await host.as({ subject: 'unlucky' })
  expect((await request('POST', '/api/ok', { headers: { 'X-Request-Id': 'unlucky' } })).status).toBe(201)
  expect(await usersOf('unlucky')).toEqual([])
  expect(loggedAt(host, 'warn')).toMatchObject([{ requestId: 'unlucky' }])
  await runSql(databaseUrl, 'drop trigger refuse_unlucky on core_audit.users')
  expect((await request('GET', '/api/ok')).status).toBe(200)
  expect(await usersOf('unlucky')).toHaveLength(1)
})
