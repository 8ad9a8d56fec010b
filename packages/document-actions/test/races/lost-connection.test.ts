import { newId } from '@vertical-kit/core-audit'
import { type TestRequest, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMoments, type Moment, nameOf } from '../crash/moments.ts'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { answerOf, replayOf } from './answers.ts'
import { effectsOf } from './effects.ts'
import { holdDocument } from './hold-document.ts'

const moments = createMoments()
let host: ShopHost
/** A second host with separate connections. It ends the sessions of the first host. */
let operator: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: moments.observe })
  operator = await openShopHost({ databaseUrl: host.databaseUrl })
  clerk = await host.as({ subject: 'Clara Clerk', permissions: allPermissions })
})
afterAll(async () => {
  await operator.close()
  await host.close()
})

/** Terminates the session of a request and waits until it has ended. */
async function endSession({ db }: Moment): Promise<void> {
  const [row] = (await db?.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)) ?? []
  await operator.database.read((any) =>
    any.execute(sql`select pg_terminate_backend(${row?.pid}::int, 10000)`),
  )
}

const scenarios = [
  { actionCode: 'post', typeCode: 'shop.invoice', expectedVersion: 1 },
  { actionCode: 'shop.create_invoice', typeCode: 'shop.order', expectedVersion: 2 },
] as const

test.each(scenarios)('$actionCode stores nothing if its session ends at any moment', async (scenario) => {
  const { actionCode, typeCode, expectedVersion } = scenario
  const prepare = async () => {
    const document = await host.addDocument(typeCode)
    if (expectedVersion > 1) await executed(clerk, document, 'post')
    return document
  }
  const passed: Moment[] = []
  const rehearsed = await prepare()
  const before = await effectsOf(host.database, rehearsed)
  await moments.during(
    async (moment) => void passed.push(moment),
    () => executed(clerk, rehearsed, actionCode, { expectedVersion }),
  )
  const after = await effectsOf(host.database, rehearsed)

  let endedCount = 0
  for (const [endAt, { db, phase, step }] of passed.entries()) {
    // After its last statement, a read does not need its session, so the end of the session has no effect.
    if (db === null || (phase === 'after' && passed[endAt + 1]?.step === 'begin')) continue
    const moment = nameOf({ phase, step })
    const document = await prepare()
    const call = { key: newId(), expectedVersion }
    let index = 0
    const onMoment = async (at: Moment) => {
      index += 1
      if (index === endAt + 1) await endSession(at)
    }
    const answer = await answerOf(
      await moments.during(onMoment, () => execute(clerk, document, actionCode, call)),
    )
    expect({ moment, ...answer }).toMatchObject({ moment, status: 503, code: 'service.unavailable' })
    expect({ moment, stored: await effectsOf(host.database, document) }).toEqual({ moment, stored: before })
    const retry = await answerOf(await execute(clerk, document, actionCode, call))
    expect({ moment, ...retry }).toMatchObject({ moment, status: 200, isReplay: false })
    expect(await answerOf(await execute(clerk, document, actionCode, call))).toEqual(replayOf(retry))
    expect({ moment, stored: await effectsOf(host.database, document) }).toEqual({ moment, stored: after })
    endedCount += 1
  }
  expect(endedCount).toBeGreaterThan(15)
})

test('an execution stores nothing if its session ends while it waits for the document', async () => {
  const invoice = await host.addDocument()
  const held = await holdDocument(operator.database, invoice)
  const key = newId()
  const answer = execute(clerk, invoice, 'post', { key })
  await untilBlocked(operator.database)
  await operator.database.read((db) =>
    db.execute(sql`
      select pg_terminate_backend(pid, 10000)
      from pg_catalog.pg_stat_activity
      where datname = current_database() and cardinality(pg_catalog.pg_blocking_pids(pid)) > 0`),
  )
  expect(await answerOf(await answer)).toMatchObject({ status: 503, code: 'service.unavailable' })
  await held.commit()
  expect(await effectsOf(host.database, invoice)).toMatchObject({ version: 1, executions: 0 })
  const retry = await answerOf(await execute(clerk, invoice, 'post', { key }))
  expect(retry).toMatchObject({ status: 200, isReplay: false })
  expect(await effectsOf(host.database, invoice)).toMatchObject({ version: 2, entries: 2, executions: 1 })
})
