import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { deactivateUser, removePermission, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { ActionExecution, StoredDocument } from '@vertical-kit/document-actions'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  allBut,
  allPermissions,
  batchResults,
  execute,
  executeBatch,
  executed,
  openShopHost,
  outcomesOf,
  refusalOf,
  type ShopHost,
} from '../harness.ts'
import { effectsOf, noEffects, onePosting } from '../races/effects.ts'
import { everyRow } from '../rows.ts'
import type { ShopFacts, ShopFields } from '../shop.ts'

/** Runs inside the handler of the next actions. Default: nothing. */
let inHandler: (tx: Tx, execution: ActionExecution<ShopFields, ShopFacts>) => Promise<unknown> =
  async () => {}
/** Runs after the commit of each execution, before the next one begins. Default: nothing. */
let afterCommit: () => Promise<unknown> = async () => {}
afterEach(() => {
  inHandler = async () => {}
  afterCommit = async () => {}
})

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  // A batch uses one connection at a time, so one connection is enough for all tests without concurrent requests.
  host = await openShopHost({
    hooks: { onExecute: async (...call) => void (await inHandler(...call)) },
    database: { poolMax: 2 },
    observe: (database) => ({
      ...database,
      async transaction(work) {
        const result = await database.transaction(work)
        await afterCommit()
        return result
      },
    }),
  })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const invoices = (count: number): Promise<StoredDocument[]> =>
  Promise.all(Array.from({ length: count }, () => host.addDocument()))
const effectsOfAll = (documents: readonly StoredDocument[]) =>
  Promise.all(documents.map((document) => effectsOf(host.database, document)))

test('a batch that asks for a dry run is refused, and nothing is executed', async () => {
  const [invoice] = (await invoices(1)) as [StoredDocument]
  const path = `/api/documents/${invoice.typeCode}/actions/post/batch?dryRun=true`
  const body = { items: [{ id: invoice.id, expectedVersion: 1 }], reason: null }
  const response = await clerk('POST', path, { headers: { 'idempotency-key': newId() }, body })
  expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'request.invalid' })
  expect(await effectsOf(host.database, invoice)).toEqual(noEffects)
})

test('a batch executes the action on each document, and returns the results in the order of the items', async () => {
  const documents = await invoices(3)
  const results = await batchResults(
    clerk,
    documents.map(({ id }) => ({ id })),
    'post',
  )
  expect(results).toMatchObject(
    documents.map(({ id }) => ({
      id,
      status: 200,
      result: { actionCode: 'post', document: { id, status: 'Posted' }, documentVersion: 2 },
    })),
  )
  expect(await effectsOfAll(documents)).toEqual(documents.map(() => onePosting))
})

test('a failure of one document has the status of a single execution, and the others are executed', async () => {
  const [first, posted, stale, last] = (await invoices(4)) as [StoredDocument, ...StoredDocument[]]
  const secret = await host.addDocument('shop.invoice', { isSecret: true })
  const order = await host.addDocument('shop.order')
  await executed(clerk, posted as StoredDocument, 'post')
  const entries = [
    { id: first.id },
    { id: newId() },
    { id: 'no-uuid' },
    { id: secret.id },
    { id: order.id },
    { id: posted?.id ?? '', expectedVersion: 2 },
    { id: stale?.id ?? '', expectedVersion: 9 },
    { id: last?.id ?? '' },
  ]
  const results = await batchResults(clerk, entries, 'post')
  expect(results.map(({ id }) => id)).toEqual(entries.map(({ id }) => id))
  expect(outcomesOf(results)).toEqual([
    '200',
    '404 documents.not_found',
    '404 documents.not_found',
    '404 documents.not_found',
    '404 documents.not_found',
    '409 document_action.unavailable',
    '409 documents.version_conflict',
    '200',
  ])
  expect(results[5]).toMatchObject({ problem: { context: { reasonCodes: ['document.already_posted'] } } })
  expect(results[6]).toMatchObject({ problem: { context: { expectedVersion: 9, actualVersion: 1 } } })
})

test('each document has its own payload, and an invalid payload concerns only its document', async () => {
  const [first, second, third] = (await invoices(3)) as [StoredDocument, StoredDocument, StoredDocument]
  const results = await batchResults(
    clerk,
    [
      { id: first.id, payload: { title: 'One' } },
      { id: second.id, payload: { titel: 'Two' } },
      { id: third.id, payload: { title: 'Three' } },
    ],
    'shop.rename',
  )
  expect(results).toMatchObject([
    { result: { document: { payload: { fields: { title: 'One' } } } } },
    {
      status: 400,
      problem: { code: 'request.invalid', errors: expect.arrayContaining([expect.anything()]) },
    },
    { result: { document: { payload: { fields: { title: 'Three' } } } } },
  ])
})

test('a fault of one document is logged once with the request id, and reveals nothing', async () => {
  const [first, second] = (await invoices(2)) as [StoredDocument, StoredDocument]
  inHandler = async (_tx, { document }) => {
    if (document.id === first.id) throw new Error('a secret of the handler')
  }
  const results = await batchResults(clerk, [{ id: first.id }, { id: second.id }], 'post')
  expect(outcomesOf(results)).toEqual(['500 internal', '200'])
  const problem = results[0] !== undefined && 'problem' in results[0] ? results[0].problem : undefined
  expect(JSON.stringify(problem)).not.toContain('secret')
  const faults = host.logLines.filter((line) => line.includes('"code":"internal"'))
  expect(faults).toEqual([expect.stringContaining(problem?.requestId ?? '?')])
  expect(await effectsOf(host.database, first)).toEqual(noEffects)
})

test('a permission that is revoked during a batch stops its document and those that follow', async () => {
  const documents = await invoices(3)
  const subject = newId()
  const request = await host.as({ subject, permissions: allPermissions })
  inHandler = async (_tx, { document }) => {
    if (document.id !== documents[1]?.id) return
    await host.database.statement((tx) => removePermission(tx, subject, 'document.shop.invoice.post'))
  }
  const results = await batchResults(
    request,
    documents.map(({ id }) => ({ id })),
    'post',
  )
  expect(outcomesOf(results)).toEqual([
    '200',
    '403 document_action.forbidden',
    '403 document_action.forbidden',
  ])
})

test.each([
  [
    'the permission of the action is revoked',
    (tx: Tx, subject: string) => removePermission(tx, subject, 'document.shop.invoice.post'),
    '403 document_action.forbidden',
  ],
  [
    'the permission to view is revoked',
    (tx: Tx, subject: string) => removePermission(tx, subject, 'document.shop.invoice.view'),
    '404 documents.not_found',
  ],
  ['the account is deactivated', deactivateUser, '403 auth.inactive'],
])('a stale version is no conflict after %s during the batch', async (_what, revoke, refusal) => {
  const documents = await invoices(2)
  const subject = newId()
  const request = await host.as({ subject, permissions: allPermissions })
  inHandler = () => host.database.statement((tx) => revoke(tx, subject))
  const entries = documents.map(({ id }, index) => ({ id, expectedVersion: 1 + 8 * index }))
  expect(outcomesOf(await batchResults(request, entries, 'post'))).toEqual([refusal, refusal])
})

test('a stale version is no conflict after the permission to view is revoked between two executions', async () => {
  const documents = await invoices(2)
  const subject = newId()
  const request = await host.as({ subject, permissions: allPermissions })
  afterCommit = () =>
    host.database.statement((tx) => removePermission(tx, subject, 'document.shop.invoice.view'))
  const entries = documents.map(({ id }, index) => ({ id, expectedVersion: 1 + 8 * index }))
  expect(outcomesOf(await batchResults(request, entries, 'post'))).toEqual(['200', '404 documents.not_found'])
})

describe('a repeat', () => {
  test('replays the executed documents, and executes the others', async () => {
    const documents = await invoices(3)
    const entries = documents.map(({ id }) => ({ id }))
    inHandler = async (_tx, { document }) => {
      if (document.id === documents[1]?.id) throw new Error('not now')
    }
    const first = await batchResults(clerk, entries, 'post', { key: 'once-more' })
    expect(outcomesOf(first)).toEqual(['200', '500 internal', '200'])
    inHandler = async () => {}
    const second = await batchResults(clerk, entries, 'post', { key: 'once-more' })
    expect([second[0], second[2]]).toEqual([first[0], first[2]])
    expect(outcomesOf(second)).toEqual(['200', '200', '200'])
    expect(await batchResults(clerk, entries, 'post', { key: 'once-more' })).toEqual(second)
    expect(await effectsOfAll(documents)).toEqual(documents.map(() => onePosting))
  })

  test.each([
    [
      'the permission to view is revoked',
      (tx: Tx, subject: string) => removePermission(tx, subject, 'document.shop.invoice.view'),
      '404 documents.not_found',
    ],
    ['the account is deactivated', deactivateUser, '403 auth.inactive'],
  ])('shows no document after %s during the batch', async (_what, revoke, refusal) => {
    const [first, second] = (await invoices(2)) as [StoredDocument, StoredDocument]
    const subject = newId()
    const request = await host.as({ subject, permissions: allPermissions })
    const key = newId()
    await batchResults(request, [{ id: second.id }], 'post', { key })
    inHandler = () => host.database.statement((tx) => revoke(tx, subject))
    const results = await batchResults(request, [{ id: first.id }, { id: second.id }], 'post', { key })
    expect(outcomesOf(results)).toEqual([refusal, refusal])
  })

  test('with another input is a conflict for the executed documents', async () => {
    const [first, second] = (await invoices(2)) as [StoredDocument, StoredDocument]
    const key = newId()
    await batchResults(clerk, [{ id: first.id, payload: { title: 'One' } }], 'shop.rename', { key })
    const conflicting = [
      { id: first.id, payload: { title: 'Other' } },
      { id: second.id, payload: { title: 'Two' } },
    ]
    const results = await batchResults(clerk, conflicting, 'shop.rename', { key })
    expect(outcomesOf(results)).toEqual(['422 document_action.idempotency_conflict', '200'])
    const otherReason = await batchResults(clerk, [conflicting[1] as never], 'shop.rename', {
      ...{ key, reason: 'Another reason' },
    })
    expect(outcomesOf(otherReason)).toEqual(['422 document_action.idempotency_conflict'])
  })

  test('of one document with its derived key returns the result of the batch', async () => {
    const [invoice] = (await invoices(1)) as [StoredDocument]
    const [inBatch] = await batchResults(clerk, [{ id: invoice.id }], 'post', { key: 'batch' })
    const body = { key: `batch/${invoice.id}`, reason: null }
    const alone = await execute(clerk, invoice, 'post', body)
    expect(alone.headers.get('Idempotent-Replayed')).toBe('true')
    expect(inBatch).toMatchObject({ result: await alone.json() })
  })

  test('of another user executes on its own', async () => {
    const [invoice] = (await invoices(1)) as [StoredDocument]
    const colleague = await host.as({ subject: newId(), permissions: allPermissions })
    await batchResults(clerk, [{ id: invoice.id }], 'post', { key: 'shared' })
    const results = await batchResults(colleague, [{ id: invoice.id }], 'post', { key: 'shared' })
    expect(outcomesOf(results)).toEqual(['409 documents.version_conflict'])
  })
})

describe('the whole batch is refused, and nothing is executed', () => {
  async function refusalTo(send: (ids: readonly { id: string }[]) => Promise<Response>) {
    const entries = (await invoices(2)).map(({ id }) => ({ id }))
    const before = await everyRow(host.database)
    const refusal = await refusalOf(await send(entries))
    expect(await everyRow(host.database)).toEqual(before)
    return refusal
  }

  test('without the permission of the action', async () => {
    const other = await host.as({ subject: 'no-posting', permissions: allBut('post') })
    expect(await refusalTo((ids) => executeBatch(other, ids, 'post'))).toMatchObject({
      status: 403,
      code: 'document_action.forbidden',
    })
  })

  test('without the permission of the action, also if the key is missing and the body is invalid', async () => {
    const other = await host.as({ subject: 'no-posting', permissions: allBut('post') })
    const path = '/api/documents/shop.invoice/actions/post/batch'
    expect(await refusalTo(() => other('POST', path, { body: { items: [] } }))).toMatchObject({
      ...{ status: 403, code: 'document_action.forbidden' },
    })
  })

  test('without the permission to view the type', async () => {
    const other = await host.as({ subject: 'no-view', permissions: allBut('view') })
    expect(await refusalTo((ids) => executeBatch(other, ids, 'post'))).toMatchObject({
      status: 404,
      code: 'documents.not_found',
    })
  })

  test.each(['shop.unknown', 'shop.open_customer'])('for the action %s', async (actionCode) => {
    expect(await refusalTo((ids) => executeBatch(clerk, ids, actionCode))).toMatchObject({
      status: 404,
      code: 'document_action.not_found',
    })
  })

  test.each([
    [null, 'document_action.reason_required'],
    [' \n', 'document_action.reason_invalid'],
    ['a'.repeat(1_001), 'document_action.reason_invalid'],
  ])('with the reason %j', async (reason, code) => {
    const refusal = await refusalTo((ids) => executeBatch(clerk, ids, 'shop.write_off', { reason }))
    expect(refusal).toMatchObject({ status: 400, code })
  })

  test.each([
    ['', 'document_action.idempotency_key_required'],
    ['a'.repeat(161), 'document_action.idempotency_key_invalid'],
    ['ä', 'document_action.idempotency_key_invalid'],
  ])('with the key %j', async (key, code) => {
    expect(await refusalTo((ids) => executeBatch(clerk, ids, 'post', { key }))).toMatchObject({
      status: 400,
      code,
    })
  })

  test.each<[string, (ids: readonly { id: string }[]) => readonly { id: string }[]]>([
    ['without items', () => []],
    ['with 101 items', () => Array.from({ length: 101 }, () => ({ id: newId() }))],
    ['with a document twice', ([one]) => [one as { id: string }, { id: one?.id.toUpperCase() ?? '' }]],
  ])('%s', async (_what, change) => {
    expect(await refusalTo((ids) => executeBatch(clerk, change(ids), 'post'))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'items' }],
    })
  })

  test.each(['a\0b', '\ud800'])('with the id %j, which the server cannot store', async (id) => {
    const refusal = await refusalTo(([first]) =>
      executeBatch(clerk, [first as { id: string }, { id }], 'post'),
    )
    expect(refusal).toMatchObject({ status: 400, code: 'request.invalid', errors: [{ path: 'items.1.id' }] })
  })

  test('with an item without a version', async () => {
    const body = { items: [{ id: newId() }], reason: null }
    const path = '/api/documents/shop.invoice/actions/post/batch'
    const refusal = await refusalTo(() => clerk('POST', path, { headers: { 'Idempotency-Key': 'k' }, body }))
    expect(refusal).toMatchObject({ status: 400, errors: [{ path: 'items.0.expectedVersion' }] })
  })
})

test('a key of 160 characters and 100 documents are possible', async () => {
  const documents = await invoices(100)
  const entries = documents.map(({ id }) => ({ id: id.toUpperCase() }))
  const results = await batchResults(clerk, entries, 'post', { key: 'k'.repeat(160) })
  expect(new Set(outcomesOf(results))).toEqual(new Set(['200']))
})
