import { newId } from '@vertical-kit/core-audit'
import { createDatabase, type Db, databaseDefaults } from '@vertical-kit/core-audit/database'
import { authenticateWith, type KitEnv, requestId } from '@vertical-kit/core-audit/http'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../harness.ts'

test('with authenticateWith, a change that asks for its lock and the rights at once sees the rights behind the lock', async () => {
  const fresh = await openDatabase()
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  onTestFinished(async () => {
    await database.close()
    await fresh.drop()
  })
  const lock = sql`select pg_advisory_xact_lock(7)`
  let permissions = ['system.things.write']
  const app = new Hono<KitEnv>()
    .use(requestId())
    .use(authenticateWith(async () => ({ userId: newId(), displayName: 'Ada', permissions })))
    .post('/change', async (c) => {
      const [, caller] = await database.transaction((tx) =>
        Promise.all([tx.execute(lock), c.get('callerNow')(tx)]),
      )
      return c.json([...caller.permissions])
    })
  const held = await holdTransaction(database, (tx) => tx.execute(lock))
  const response = app.request('/change', { method: 'POST' })
  await untilBlocked(database)
  permissions = []
  await held.commit()
  expect(await (await response).json()).toEqual([])
})

test('with authenticateWith, changes that hold all connections find their users on their own connections', async () => {
  const fresh = await openDatabase()
  const database = createDatabase({ ...databaseDefaults, url: fresh.url, poolMax: 2, poolWaitMs: 1_000 })
  onTestFinished(async () => {
    await database.close()
    await fresh.drop()
  })
  const identify = async (db: Db) => {
    const [row] = await db.execute<{ name: string }>(sql`select current_user as name`)
    return { userId: newId(), displayName: row?.name ?? '', permissions: [] }
  }
  const waiting = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const app = new Hono<KitEnv>()
    .use(requestId())
    .use(authenticateWith((_c, db) => (db === undefined ? database.read(identify) : identify(db))))
    .post('/change/:number', (c) =>
      database.transaction(async (tx) => {
        waiting[Number(c.req.param('number'))]?.resolve()
        await Promise.all(waiting.map(({ promise }) => promise))
        await tx.execute(sql`select`)
        return c.json((await c.get('callerNow')(tx)).displayName)
      }),
    )
  const responses = await Promise.all(['0', '1'].map((n) => app.request(`/change/${n}`, { method: 'POST' })))
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
})
