import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import type { ExecutionResult } from '@vertical-kit/document-actions/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allBut,
  allPermissions,
  execute,
  executed,
  expectJson,
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

interface Step {
  readonly path: string
  readonly expectedVersion: number
  readonly key?: string
}

/** Executes a step through its older path. */
const step = (document: StoredDocument, { path, expectedVersion, key = newId() }: Step, request = clerk) =>
  request('POST', `/api/documents/${document.typeCode}/${document.id}/${path}`, {
    headers: { 'Idempotency-Key': key },
    body: { expectedVersion },
  })

const walk = [
  ['post', 'post', 'Posted'],
  ['repost', 'repost', 'Posted'],
  ['unpost', 'unpost', 'Draft'],
  ['mark-for-deletion', 'mark_for_deletion', 'MarkedForDeletion'],
  ['unmark-for-deletion', 'unmark_for_deletion', 'Draft'],
] as const

test('200: the older paths execute the complete lifecycle, with the results of the actions', async () => {
  const invoice = await host.addDocument()
  for (const [index, [path, actionCode, status]] of walk.entries()) {
    const response = await step(invoice, { path, expectedVersion: index + 1 })
    expect(await expectJson<ExecutionResult>(response, 200)).toMatchObject({
      actionCode,
      document: { id: invoice.id, status },
      documentVersion: index + 2,
      createdDocument: null,
    })
  }
})

describe.each(walk)('…/%s and …/actions/%s', (path, actionCode) => {
  /** Creates an invoice on which the step is available. Returns it with its version. */
  async function addReady() {
    const invoice = await host.addDocument()
    let expectedVersion = 1
    const before = { repost: 'post', unpost: 'post', unmark_for_deletion: 'mark_for_deletion' } as const
    const earlier = actionCode in before ? before[actionCode as keyof typeof before] : null
    if (earlier !== null) {
      await executed(clerk, invoice, earlier)
      expectedVersion = 2
    }
    return { invoice, expectedVersion }
  }

  test('share one execution if keys and bodies are equal', async () => {
    const { invoice, expectedVersion } = await addReady()
    const key = newId()
    const first = await expectJson<ExecutionResult>(await step(invoice, { path, expectedVersion, key }), 200)
    const after = await everyRow(host.database)
    const repeat = await execute(clerk, invoice, actionCode, { expectedVersion, key })
    expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await expectJson(repeat, 200)).toEqual(first)
    expect(await everyRow(host.database)).toEqual(after)
  })

  test('share one execution if the requests are sent in reverse order', async () => {
    const { invoice, expectedVersion } = await addReady()
    const key = newId()
    const first = await executed(clerk, invoice, actionCode, { expectedVersion, key })
    const repeat = await step(invoice, { path, expectedVersion, key })
    expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await repeat.json()).toEqual(first)
  })

  test('reject callers without permission at the older path', async () => {
    const { invoice, expectedVersion } = await addReady()
    const permission = actionCode.replace('unmark', 'mark')
    const other = await host.as({ subject: `without-${actionCode}`, permissions: allBut(permission) })
    expect(await refusalOf(await step(invoice, { path, expectedVersion }, other))).toMatchObject({
      status: 403,
      code: 'document_action.forbidden',
    })
  })

  test('mark every response of the older path as deprecated, with a link to the action', async () => {
    const { invoice, expectedVersion } = await addReady()
    const address = `/api/documents/${invoice.typeCode}/${invoice.id}`
    const responses = [
      await clerk('POST', `${address}/${path}`),
      await step(invoice, { path, expectedVersion: 99 }),
      await step(invoice, { path, expectedVersion }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([415, 409, 200])
    for (const { headers } of responses) {
      expect(headers.get('Deprecation')).toBe('@1795305600')
      const [, link = ''] = /^<([^<>]+)>; rel="successor-version"$/.exec(headers.get('Link') ?? '') ?? []
      expect(new URL(link, `http://host${address}/${path}`).pathname).toBe(`${address}/actions/${actionCode}`)
    }
    const current = await execute(clerk, invoice, actionCode, { expectedVersion: 99 })
    expect([current.headers.get('Deprecation'), current.headers.get('Link')]).toEqual([null, null])
  })

  test('require a key and a body at the older path', async () => {
    const { invoice, expectedVersion } = await addReady()
    const address = `/api/documents/shop.invoice/${invoice.id}/${path}`
    const keyless = await clerk('POST', address, { body: { expectedVersion } })
    expect(await refusalOf(keyless)).toMatchObject({ code: 'document_action.idempotency_key_required' })
    const bodyless = await clerk('POST', address, { headers: { 'Idempotency-Key': 'key' } })
    expect(await refusalOf(bodyless)).toMatchObject({ code: 'request.unsupported_media_type' })
  })
})

test('a step that the type does not have receives 404', async () => {
  const order = await host.addDocument('shop.order')
  expect(await refusalOf(await step(order, { path: 'repost', expectedVersion: 1 }))).toMatchObject({
    status: 404,
    code: 'document_action.not_found',
  })
})

test('a step that the status of the document does not allow receives 409', async () => {
  const invoice = await host.addDocument()
  expect(await refusalOf(await step(invoice, { path: 'unpost', expectedVersion: 1 }))).toMatchObject({
    status: 409,
    code: 'document_action.unavailable',
    context: { reasonCodes: ['document.not_posted'] },
  })
})
