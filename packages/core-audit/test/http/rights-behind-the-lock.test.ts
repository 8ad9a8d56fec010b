import { newId } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
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
