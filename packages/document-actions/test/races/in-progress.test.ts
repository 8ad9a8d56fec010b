import { newId } from '@vertical-kit/core-audit'
import { blockedCount, type TestRequest, untilBlocked } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { allBut, allPermissions, execute, openShopHost, type ShopHost } from '../harness.ts'
import { ShopError } from '../shop.ts'
import { answerOf, inProgress, replayOf } from './answers.ts'
import { effectsOf, noEffects, onePosting } from './effects.ts'
import { holdDocument } from './hold-document.ts'

let host: ShopHost
let replica: ShopHost
/** Executions on these documents stop inside their handler until `release` settles. */
const handlers = new Map<string, { arrived(): void; readonly release: Promise<void> }>()
beforeAll(async () => {
  host = await openShopHost({
    hooks: {
      async onExecute(_tx, { document }) {
        const handler = handlers.get(document.id)
        handler?.arrived()
        await handler?.release
      },
    },
  })
  replica = await openShopHost({ databaseUrl: host.databaseUrl })
})
afterAll(async () => {
  await replica.close()
  await host.close()
})

let clara: TestRequest
let claraElsewhere: TestRequest
beforeEach(async () => {
  handlers.clear()
  const subject = newId()
  clara = await host.as({ subject, permissions: allPermissions })
  claraElsewhere = await replica.as({ subject })
})

/** Stops the next execution on a document inside its handler. */
function stopInside({ id }: { readonly id: string }) {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  handlers.set(id, { arrived: arrived.resolve, release: release.promise })
  return { arrived: arrived.promise, release: release.resolve, fail: release.reject }
}

test('a repeat at any replica fails with in_progress while the first request is inside its handler', async () => {
  const invoice = await host.addDocument()
  const handler = stopInside(invoice)
  const key = newId()
  const first = execute(clara, invoice, 'post', { key })
  await handler.arrived
  for (const request of [clara, claraElsewhere]) {
    expect(await answerOf(await execute(request, invoice, 'post', { key }))).toMatchObject(inProgress)
  }
  expect(await blockedCount(host.database)).toBe(0)
  handler.release()
  const answer = await answerOf(await first)
  for (const request of [clara, claraElsewhere]) {
    expect(await answerOf(await execute(request, invoice, 'post', { key }))).toEqual(replayOf(answer))
  }
  expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
})

test('a repeat fails with in_progress while the first request waits for the document', async () => {
  const invoice = await host.addDocument()
  const held = await holdDocument(host.database, invoice)
  const key = newId()
  const first = execute(clara, invoice, 'post', { key })
  await untilBlocked(host.database)
  expect(await answerOf(await execute(claraElsewhere, invoice, 'post', { key }))).toMatchObject(inProgress)
  expect(await blockedCount(host.database)).toBe(1)
  await held.commit()
  expect(await answerOf(await first)).toMatchObject({ status: 200, isReplay: false })
  expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
})

test('a repeat is executed after the handler has rejected the first request', async () => {
  const invoice = await host.addDocument()
  const handler = stopInside(invoice)
  const key = newId()
  const first = execute(clara, invoice, 'post', { key })
  await handler.arrived
  expect(await answerOf(await execute(claraElsewhere, invoice, 'post', { key }))).toMatchObject(inProgress)
  handlers.clear()
  handler.fail(new ShopError('shop.closed', { context: { opensAt: '08:00' } }))
  expect(await answerOf(await first)).toMatchObject({ status: 409, code: 'shop.closed' })
  expect(await effectsOf(host.database, invoice)).toEqual(noEffects)
  const repeat = await answerOf(await execute(claraElsewhere, invoice, 'post', { key }))
  expect(repeat).toMatchObject({ status: 200, isReplay: false })
  expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
})

test('requests of several users with one key run concurrently, each with the permissions of its user', async () => {
  const [invoice, other] = [await host.addDocument(), await host.addDocument()]
  const carl = await host.as({ subject: newId(), permissions: allPermissions })
  const viewer = await host.as({ subject: newId(), permissions: allBut('post') })
  const handler = stopInside(invoice)
  const key = newId()
  const first = execute(clara, invoice, 'post', { key })
  await handler.arrived
  const elsewhere = await answerOf(await execute(carl, other, 'post', { key }))
  expect(elsewhere).toMatchObject({ status: 200, isReplay: false })
  expect(await answerOf(await execute(viewer, invoice, 'post', { key }))).toMatchObject({
    status: 403,
    code: 'document_action.forbidden',
  })
  const second = execute(carl, invoice, 'post', { key: newId() })
  const sameKey = execute(await host.as({ subject: newId(), permissions: allPermissions }), invoice, 'post', {
    key,
  })
  await untilBlocked(host.database, 2)
  handler.release()
  const answer = await answerOf(await first)
  expect(answer).toMatchObject({ status: 200, isReplay: false })
  expect(answer.result?.executionId).not.toBe(elsewhere.result?.executionId)
  for (const loser of [await second, await sameKey]) {
    expect(await answerOf(loser)).toMatchObject({ status: 409, code: 'documents.version_conflict' })
  }
  expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
  expect(await effectsOf(host.database, other)).toEqual(onePosting)
})

test('a replay does not wait for the lock of the document', async () => {
  const invoice = await host.addDocument()
  const key = newId()
  const first = await answerOf(await execute(clara, invoice, 'post', { key }))
  const held = await holdDocument(host.database, invoice)
  const waiting = execute(clara, invoice, 'unpost', { expectedVersion: 2 })
  await untilBlocked(host.database)
  for (const request of [clara, claraElsewhere]) {
    expect(await answerOf(await execute(request, invoice, 'post', { key }))).toEqual(replayOf(first))
  }
  // The other execution still waits, so the lock was not released before the replay.
  expect(await blockedCount(host.database)).toBe(1)
  await held.commit()
  expect(await answerOf(await waiting)).toMatchObject({ status: 200 })
})
