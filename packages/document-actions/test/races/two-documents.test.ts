import { newId } from '@vertical-kit/core-audit'
import { type TestRequest, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { answerOf } from './answers.ts'
import { effectsOf, noEffects, onePosting } from './effects.ts'
import { holdDocument } from './hold-document.ts'

let host: ShopHost
/** The additional steps of handlers, by document id. */
const handlers = new Map<string, { arrive(): void; readonly together: Promise<unknown>; other: string }>()
let clerks: readonly [TestRequest, TestRequest]
beforeAll(async () => {
  host = await openShopHost({
    hooks: {
      async onExecute(tx, { document }) {
        const handler = handlers.get(document.id)
        if (handler === undefined) return
        handler.arrive()
        await handler.together
        await tx.execute(
          sql`select from document_actions.documents where id = ${handler.other}::uuid for no key update`,
        )
      },
    },
  })
  const clerk = () => host.as({ subject: newId(), permissions: allPermissions })
  clerks = [await clerk(), await clerk()]
})
afterAll(() => host.close())

test('if two users change two documents in opposite order, both users receive all answers', async () => {
  const documents = [await host.addDocument(), await host.addDocument()] as const
  const [first, second] = documents
  const held = [await holdDocument(host.database, second), await holdDocument(host.database, first)]
  const [clara, carl] = clerks
  const responses = [
    execute(clara, first, 'post'),
    execute(carl, second, 'post'),
    execute(clara, second, 'post'),
    execute(carl, first, 'post'),
  ]
  await untilBlocked(host.database, responses.length)
  await Promise.all(held.map((one) => one.commit()))
  const answers = await Promise.all((await Promise.all(responses)).map(answerOf))
  expect(answers.map(({ code }) => code).toSorted()).toEqual([
    'documents.version_conflict',
    'documents.version_conflict',
    null,
    null,
  ])
  for (const document of documents) expect(await effectsOf(host.database, document)).toEqual(onePosting)
})

test('concurrent derivations in opposite order create one document per source', async () => {
  const orders = await Promise.all(Array.from({ length: 8 }, () => host.addDocument('shop.order')))
  for (const order of orders) await executed(clerks[0], order, 'post')
  const derive = (request: TestRequest) => (order: (typeof orders)[number]) =>
    execute(request, order, 'shop.create_invoice', { expectedVersion: 2 })
  const responses = await Promise.all([
    ...orders.map(derive(clerks[0])),
    ...orders.toReversed().map(derive(clerks[1])),
  ])
  const answers = await Promise.all(responses.map(answerOf))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(orders.length)
  for (const { status, code } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, code }).toEqual({ status: 409, code: 'documents.version_conflict' })
  }
  for (const order of orders) {
    expect(await effectsOf(host.database, order)).toMatchObject({ derivations: 1, createdDocuments: 1 })
  }
})

test('if two handlers lock each other’s documents, one fails temporarily and succeeds on retry', async () => {
  const documents = [await host.addDocument(), await host.addDocument()] as const
  const arrivals = documents.map(() => Promise.withResolvers<void>())
  const together = Promise.all(arrivals.map(({ promise }) => promise))
  for (const [index, { id }] of documents.entries()) {
    const other = documents[1 - index]?.id ?? ''
    handlers.set(id, { arrive: () => arrivals[index]?.resolve(), together, other })
  }
  const keys = documents.map(() => newId())
  const post = async (index: 0 | 1) =>
    answerOf(await execute(clerks[index], documents[index], 'post', { key: keys[index] ?? '' }))
  const answers = await Promise.all([post(0), post(1)])
  handlers.clear()

  const refused = answers.findIndex(({ status }) => status !== 200) as 0 | 1
  expect(answers[refused]).toMatchObject({ status: 503, code: 'service.unavailable' })
  expect(answers[1 - refused]).toMatchObject({ status: 200 })
  expect(await effectsOf(host.database, documents[refused])).toEqual(noEffects)
  expect(await post(refused)).toMatchObject({ status: 200, isReplay: false })
  for (const document of documents) expect(await effectsOf(host.database, document)).toEqual(onePosting)
})
