import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { answerOf, expectOneExecution, replayOf } from './answers.ts'
import { effectsOf, noEffects, onePosting } from './effects.ts'

let host: ShopHost
let replica: ShopHost
beforeAll(async () => {
  host = await openShopHost()
  replica = await openShopHost({ databaseUrl: host.databaseUrl })
})
afterAll(async () => {
  await replica.close()
  await host.close()
})

const callCount = 50

/** Returns one client per replica, all for a single new user. */
async function clerksAt(...hosts: readonly ShopHost[]): Promise<readonly TestRequest[]> {
  const subject = newId()
  return Promise.all(
    hosts.map((one, index) => one.as({ subject, ...(index === 0 ? { permissions: allPermissions } : {}) })),
  )
}

const clerkOf = (clerks: readonly TestRequest[], index: number): TestRequest =>
  clerks[index % clerks.length] as TestRequest

test.each([
  ['one replica', () => [host]],
  ['two replicas', () => [host, replica]],
])('if fifty calls at %s share one key, exactly one is executed', async (_, hosts) => {
  const clerks = await clerksAt(...hosts())
  const invoice = await host.addDocument()
  const key = newId()
  const responses = await Promise.all(
    Array.from({ length: callCount }, (_, index) =>
      execute(clerkOf(clerks, index), invoice, 'post', { key }),
    ),
  )
  const first = expectOneExecution(await Promise.all(responses.map(answerOf)))
  for (const clerk of clerks) {
    expect(await answerOf(await execute(clerk, invoice, 'post', { key }))).toEqual(replayOf(first))
  }
  expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
})

test('if fifty derivations at two replicas share one key, exactly one creates a document', async () => {
  const clerks = await clerksAt(host, replica)
  const order = await host.addDocument('shop.order')
  await executed(clerkOf(clerks, 0), order, 'post')
  const call = { key: newId(), expectedVersion: 2 }
  const responses = await Promise.all(
    Array.from({ length: callCount }, (_, index) =>
      execute(clerkOf(clerks, index), order, 'shop.create_invoice', call),
    ),
  )
  const first = expectOneExecution(await Promise.all(responses.map(answerOf)))
  const repeat = await answerOf(await execute(clerkOf(clerks, 0), order, 'shop.create_invoice', call))
  expect(repeat).toEqual(replayOf(first))
  expect(await effectsOf(host.database, order)).toEqual({
    ...noEffects,
    version: 3,
    auditEvents: 2,
    outboxEvents: 2,
    executions: 2,
    derivations: 1,
    createdDocuments: 1,
  })
})

test('of thirty requests with different keys and one version, one succeeds and 29 have a version conflict', async () => {
  const clerks = await clerksAt(host, replica)
  const invoice = await host.addDocument()
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      execute(clerkOf(clerks, index), invoice, 'shop.rename', { payload: { title: `Title ${index}` } }),
    ),
  )
  const answers = await Promise.all(responses.map(answerOf))
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toMatchObject([{ isReplay: false, result: { documentVersion: 2 } }])
  for (const { status, code } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, code }).toEqual({ status: 409, code: 'documents.version_conflict' })
  }
  expect(await effectsOf(host.database, invoice)).toEqual({ ...onePosting, entries: 0 })
})
