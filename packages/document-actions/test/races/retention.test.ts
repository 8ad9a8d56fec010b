import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMoments, type Moment } from '../crash/moments.ts'
import { allPermissions, dayMs, execute, openShopHost, type ShopHost, shopModules } from '../harness.ts'
import { answerOf } from './answers.ts'
import { effectsOf, onePosting } from './effects.ts'

const moments = createMoments()
let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: moments.observe })
  clerk = await host.as({ subject: 'Clara Clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Makes all stored executions 91 days older, then runs the retention worker. */
async function pruneAll(): Promise<void> {
  const { database } = host
  await database.statement((tx) =>
    tx.execute(sql`update document_actions.executions set completed_at = completed_at - interval '91 days'`),
  )
  const config = { executionRetentionMs: 90 * dayMs }
  const workers = shopModules(host, { config }).flatMap((module) => module.workers ?? [])
  for (const worker of workers) await worker.runOnce(new AbortController().signal)
}

/** Returns a predicate that accepts only the first moment with this phase and step. */
const isFirst = (phase: Moment['phase'], step: string) => {
  let isPast = false
  return (moment: Moment): boolean => {
    if (isPast || moment.phase !== phase || !moment.step.startsWith(step)) return false
    isPast = true
    return true
  }
}

test.each([
  ['before the repeat looks up its key', isFirst('before', 'select encode(fingerprint')],
  ['between the two key lookups of the repeat', isFirst('before', 'begin')],
])('a repeat fails with a version conflict if the execution completes and is pruned %s', async (_, isNow) => {
  const invoice = await host.addDocument()
  const call = { key: newId() }
  const completeAndPrune = async () => {
    expect(await answerOf(await execute(clerk, invoice, 'post', call))).toMatchObject({ status: 200 })
    await pruneAll()
  }
  const answer = await moments.during(
    async (moment) => {
      if (isNow(moment)) await moments.during(async () => {}, completeAndPrune)
    },
    () => execute(clerk, invoice, 'post', call),
  )
  expect(await answerOf(answer)).toMatchObject({ status: 409, code: 'documents.version_conflict' })
  expect(await effectsOf(host.database, invoice)).toEqual({ ...onePosting, executions: 0 })
})
