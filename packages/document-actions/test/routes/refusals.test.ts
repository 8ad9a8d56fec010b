import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allBut,
  allPermissions,
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

/** Sends a request, checks that the database is unchanged, and returns the error. */
async function refusalTo(send: () => Promise<Response>) {
  const before = await everyRow(host.database)
  const refusal = await refusalOf(await send())
  expect(await everyRow(host.database)).toEqual(before)
  return refusal
}

const refusalToAction = (
  document: StoredDocument,
  action: string,
  more: Parameters<typeof execute>[3] = {},
  request: TestRequest = clerk,
) => refusalTo(() => execute(request, document, action, more))

/** Sends a body unchanged. */
const post = (document: StoredDocument, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  clerk('POST', `/api/documents/shop.invoice/${document.id}/actions/post`, {
    headers: { 'Idempotency-Key': 'key', ...headers },
    body,
  })

test('an action without the permission receives 403', async () => {
  const other = await host.as({ subject: 'no-posting', permissions: allBut('post') })
  expect(await refusalToAction(await host.addDocument(), 'post', {}, other)).toMatchObject({
    status: 403,
    code: 'document_action.forbidden',
  })
})

test.each(['actions/post', 'actions/post?dryRun=true', 'post'])(
  'without the permission, %s receives 403 also if the key is missing or invalid and the body cannot be read',
  async (path) => {
    const other = await host.as({ subject: 'no-posting', permissions: allBut('post') })
    const { id } = await host.addDocument()
    for (const headers of [{}, { 'Idempotency-Key': 'a b' }]) {
      for (const body of ['{', {}, { expectedVersion: 1 }]) {
        const address = `/api/documents/shop.invoice/${id}/${path}`
        expect(await refusalTo(() => other('POST', address, { headers, body }))).toMatchObject({
          ...{ status: 403, code: 'document_action.forbidden' },
        })
      }
    }
  },
)

test('a derivation without the create permission of its target receives 403', async () => {
  const permissions = allPermissions.filter((one) => one !== 'document.shop.invoice.create')
  const other = await host.as({ subject: 'no-invoices', permissions })
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  const refusal = await refusalToAction(order, 'shop.create_invoice', { expectedVersion: 2 }, other)
  expect(refusal).toMatchObject({ status: 403, code: 'document_action.forbidden' })
})

test('without the permission, the 403 does not reveal the input of the action', async () => {
  const other = await host.as({ subject: 'nearly-nothing', permissions: allBut('write_off', 'rename') })
  for (const action of ['shop.write_off', 'shop.rename']) {
    expect(await refusalToAction(await host.addDocument(), action, {}, other)).toMatchObject({
      code: 'document_action.forbidden',
    })
  }
})

test.each(['shop.nothing', 'POST', 'repost ', '__proto__', 'constructor', 'mark-for-deletion'])(
  'the unknown action %j receives 404',
  async (action) => {
    const refusal = await refusalToAction(await host.addDocument(), encodeURIComponent(action))
    expect(refusal).toMatchObject({ status: 404, code: 'document_action.not_found' })
  },
)

test('an action of another type receives 404', async () => {
  expect(await refusalToAction(await host.addDocument('shop.order'), 'shop.write_off')).toMatchObject({
    status: 404,
    code: 'document_action.not_found',
  })
})

test('an action that only opens a page receives 404', async () => {
  expect(await refusalToAction(await host.addDocument(), 'shop.open_customer')).toMatchObject({
    status: 404,
    code: 'document_action.not_found',
    detail: 'This action only opens a page. It cannot be executed.',
  })
})

describe('an unavailable action receives 409 with the reason codes of the editor state', () => {
  test.each([
    ['unpost', ['document.not_posted']],
    ['repost', ['document.not_posted']],
    ['unmark_for_deletion', ['document.not_marked_for_deletion']],
    ['shop.write_off', ['shop.not_posted', 'shop.settled']],
  ])('if the action is %s of a draft', async (action, reasonCodes) => {
    const refusal = await refusalToAction(await host.addDocument(), action, { reason: 'Because.' })
    expect(refusal).toMatchObject({
      status: 409,
      code: 'document_action.unavailable',
      context: { reasonCodes },
    })
  })

  test('if the facts disable the action, even if the status allows it', async () => {
    const invoice = await host.addDocument()
    await executed(clerk, invoice, 'post')
    await executed(clerk, invoice, 'shop.write_off', { expectedVersion: 2, reason: 'Bankrupt.' })
    const more = { expectedVersion: 3, reason: 'Again.' }
    const refusal = await refusalToAction(invoice, 'shop.write_off', more)
    expect(refusal.context).toEqual({ reasonCodes: ['shop.settled'] })
  })
})

test.each([0, 1, 3, -1, 2 ** 31, Number.MAX_SAFE_INTEGER])(
  'an action on version 2 with the expected version %i receives 409',
  async (expectedVersion) => {
    const invoice = await host.addDocument()
    await executed(clerk, invoice, 'post')
    expect(await refusalToAction(invoice, 'unpost', { expectedVersion })).toMatchObject({
      status: 409,
      code: 'documents.version_conflict',
      context: { expectedVersion, actualVersion: 2 },
    })
  },
)

describe('an invalid body', () => {
  test.each<[what: string, body: unknown, path: string, message: string]>([
    ['no version', {}, 'expectedVersion', 'is required'],
    ['a null version', { expectedVersion: null }, 'expectedVersion', 'expected number'],
    ['a version in text', { expectedVersion: '1' }, 'expectedVersion', 'expected number'],
    ['a fractional version', { expectedVersion: 1.5 }, 'expectedVersion', 'expected a whole number'],
    ['an unsafe version', { expectedVersion: 2 ** 53 }, 'expectedVersion', 'expected a whole number'],
    ['a reason that is a number', { expectedVersion: 1, reason: 7 }, 'reason', 'expected string'],
  ])('receives 400 if it contains %s', async (_what, body, path, message) => {
    const invoice = await host.addDocument()
    expect(await refusalTo(() => post(invoice, body))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path, message }],
    })
  })

  test.each(['[]', '"post"', '1', 'null'])('receives 400 if it is %s', async (body) => {
    const invoice = await host.addDocument()
    expect(await refusalTo(() => post(invoice, body))).toMatchObject({ status: 400, code: 'request.invalid' })
  })

  test.each(['', '{', "{'expectedVersion': 1}", '{"expectedVersion": 1}}'])(
    'receives 400 if it is malformed: %j',
    async (body) => {
      const invoice = await host.addDocument()
      const refusal = await refusalTo(() => post(invoice, body))
      expect(refusal).toMatchObject({ status: 400, code: 'request.malformed' })
    },
  )
})

test('a body with a content type other than JSON receives 415', async () => {
  const invoice = await host.addDocument()
  const headers = { 'Content-Type': 'text/plain' }
  expect(await refusalTo(() => post(invoice, '{"expectedVersion":1}', headers))).toMatchObject({
    status: 415,
    code: 'request.unsupported_media_type',
  })
})

test('a body of more than 1 MiB receives 413', async () => {
  const invoice = await host.addDocument()
  const body = { expectedVersion: 1, payload: 'a'.repeat(1024 * 1024) }
  expect(await refusalTo(() => post(invoice, body))).toMatchObject({
    status: 413,
    code: 'request.too_large',
    context: { maxBytes: 1024 * 1024 },
  })
})
