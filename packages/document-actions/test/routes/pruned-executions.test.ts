import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRetention } from '../../src/retention.ts'
import {
  allPermissions,
  dayMs,
  execute,
  executed,
  openShopHost,
  refusalOf,
  type ShopHost,
} from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())
beforeEach(prune)

/** Makes every execution older than its retention time, then runs the worker. */
async function prune(): Promise<void> {
  await host.database.statement((tx) =>
    tx.execute(sql`update document_actions.executions set completed_at = completed_at - interval '91 days'`),
  )
  const worker = createRetention({ database: host.database, config: { executionRetentionMs: 90 * dayMs } })
  await worker.runOnce(new AbortController().signal)
  expect((await everyRow(host.database)).executions).toEqual([])
}

test('a repeat after pruning fails with a version conflict, so the action takes effect once', async () => {
  const invoice = await host.addDocument()
  const key = newId()
  await executed(clerk, invoice, 'post', { key })
  await prune()
  const before = await everyRow(host.database)
  const repeat = await execute(clerk, invoice, 'post', { key })
  expect(repeat.headers.has('Idempotent-Replayed')).toBe(false)
  expect(await refusalOf(repeat)).toMatchObject({
    status: 409,
    code: 'documents.version_conflict',
    context: { expectedVersion: 1, actualVersion: 2 },
  })
  expect(await everyRow(host.database)).toEqual(before)
})

test('a repeat after pruning also fails for an action that is still available', async () => {
  const invoice = await host.addDocument()
  const more = { key: newId(), expectedVersion: 2 }
  await executed(clerk, invoice, 'post')
  await executed(clerk, invoice, 'repost', more)
  await prune()
  const repeat = await execute(clerk, invoice, 'repost', more)
  expect(await refusalOf(repeat)).toMatchObject({ code: 'documents.version_conflict' })
})

test('a derived document and its link outlive the execution', async () => {
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  const more = { key: newId(), expectedVersion: 2 }
  await executed(clerk, order, 'shop.create_invoice', more)
  const { derivations } = await everyRow(host.database)
  await prune()
  expect((await everyRow(host.database)).derivations).toEqual(derivations)
  const next = await execute(clerk, order, 'shop.create_invoice', { ...more, expectedVersion: 3 })
  expect(await refusalOf(next)).toMatchObject({ context: { reasonCodes: ['shop.invoiced'] } })
})

test('the key of a pruned execution can be used for another request', async () => {
  const invoice = await host.addDocument()
  const key = newId()
  await executed(clerk, invoice, 'post', { key })
  await prune()
  const response = await execute(clerk, invoice, 'unpost', { key, expectedVersion: 2 })
  expect([response.status, response.headers.has('Idempotent-Replayed')]).toEqual([200, false])
})
