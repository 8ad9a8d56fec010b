import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, batchResults, execute, openShopHost, outcomesOf, type ShopHost } from '../harness.ts'
import { effectsOf, onePosting } from './effects.ts'

let host: ShopHost
beforeAll(async () => {
  host = await openShopHost()
})
afterAll(() => host.close())

test('30 equal batches and 30 single executions of their documents: each document is posted once', async () => {
  const clerk = await host.as({ subject: newId(), permissions: allPermissions })
  const invoices = await Promise.all(Array.from({ length: 5 }, () => host.addDocument()))
  const entries = invoices.map(({ id }) => ({ id }))
  const key = newId()
  const batches = Array.from({ length: 30 }, () => batchResults(clerk, entries, 'post', { key }))
  const singles = Array.from({ length: 30 }, (_, index) =>
    execute(clerk, invoices[index % 5] as { typeCode: string; id: string }, 'post'),
  )
  const allowed = ['200', '409 document_action.in_progress', '409 documents.version_conflict']
  for (const results of await Promise.all(batches)) {
    for (const outcome of outcomesOf(results)) expect(allowed).toContain(outcome)
  }
  for (const { status } of await Promise.all(singles)) expect([200, 409]).toContain(status)
  for (const invoice of invoices) expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
})
