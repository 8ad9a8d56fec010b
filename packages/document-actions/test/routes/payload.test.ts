import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

/** Renames an invoice with a literal body. */
async function rename(body: string): Promise<Response> {
  const { id } = await host.addDocument()
  return clerk('POST', `/api/documents/shop.invoice/${id}/actions/shop.rename`, {
    headers: { 'Idempotency-Key': id },
    body,
  })
}

/** Sends an invalid payload, checks that nothing is kept, and returns the single field error. */
async function errorIn(payload: string) {
  const { id } = await host.addDocument()
  const before = await everyRow(host.database)
  const response = await clerk('POST', `/api/documents/shop.invoice/${id}/actions/shop.rename`, {
    headers: { 'Idempotency-Key': id },
    body: `{"expectedVersion":1,"payload":${payload}}`,
  })
  const refusal = await refusalOf(response)
  expect(await everyRow(host.database)).toEqual(before)
  expect(refusal).toMatchObject({ status: 400, code: 'request.invalid' })
  return refusal.errors?.[0]
}

test.each([
  ['{}', 'payload.title', 'is required'],
  ['null', 'payload', 'expected Object'],
  ['{"title":7}', 'payload.title', 'expected string'],
  ['{"title":null}', 'payload.title', 'expected string'],
  ['{"title":""}', 'payload.title', 'expected a title'],
  ['{"title":["a"]}', 'payload.title', 'expected string'],
])('the payload %s receives 400 with an error at %s: %s', async (payload, path, message) => {
  expect(await errorIn(payload)).toEqual({ path, message })
})

test('a missing payload receives 400 if the action has a schema', async () => {
  const response = await rename('{"expectedVersion":1}')
  expect(await refusalOf(response)).toMatchObject({ errors: [{ path: 'payload', message: 'is required' }] })
})

test('the errors of a 400 list every invalid field', async () => {
  const response = await rename('{"expectedVersion":1,"payload":{"title":1,"status":"Posted"}}')
  const { errors } = await refusalOf(response)
  expect(errors?.map(({ path }) => path)).toEqual(['payload.title', 'payload.status'])
})

describe('an unknown property of the payload', () => {
  test.each([
    'isAdministrator',
    'status',
    'version',
    'fields',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'toJSON',
  ])('receives 400 if its name is %s', async (name) => {
    for (const value of ['{"isAdministrator":true}', '"text"', 'null']) {
      const error = await errorIn(`{"title":"A","${name}":${value}}`)
      expect(error).toEqual({ path: `payload.${name}`, message: 'is not a known property' })
    }
    expect(Reflect.get({}, 'isAdministrator')).toBeUndefined()
  })

  test('a title inside __proto__ is not the title of the payload', async () => {
    expect(await errorIn('{"__proto__":{"title":"A"}}')).toEqual({
      path: 'payload.title',
      message: 'is required',
    })
  })
})

test.each([
  ['U+0000', String.raw`a\u0000b`],
  ['a lone high surrogate', String.raw`a\ud800`],
  ['a lone low surrogate', String.raw`\udc00a`],
])('a title with %s receives 400', async (_what, title) => {
  expect(await errorIn(`{"title":"${title}"}`)).toMatchObject({
    message: expect.stringMatching(/cannot be stored/),
  })
})

test('a title with any other characters is stored unchanged', async () => {
  const title = 'Größe 😀 \u2028 "\\ </script>'
  const result = await executed(clerk, await host.addDocument(), 'shop.rename', { payload: { title } })
  expect(result.document.payload.fields['title']).toBe(title)
})

test.each<[unknown]>([[null], ['text'], [7], [[]], [{ status: 'Draft', isAdministrator: true }]])(
  'an action without a schema ignores the payload %j',
  async (payload) => {
    const { document } = await executed(clerk, await host.addDocument(), 'post', { payload })
    expect(document).toMatchObject({ status: 'Posted', payload: { fields: { amount: '10.00' } } })
    expect(document.payload.fields).toEqual({ amount: '10.00' })
  },
)

test('unknown properties of the body are ignored', async () => {
  const body = `{"expectedVersion":1,"payload":{"title":"A"},"status":"Posted","documentVersion":9,"id":"x",
    "actor":{"userId":"x"},"__proto__":{"reason":"x"},"constructor":{"prototype":{"isAdministrator":true}}}`
  const response = await rename(body)
  expect(await response.json()).toMatchObject({ documentVersion: 2, document: { status: 'Draft' } })
  expect(Reflect.get({}, 'isAdministrator')).toBeUndefined()
})

test('a reason inside __proto__ is ignored', async () => {
  const invoice = await host.addDocument()
  await executed(clerk, invoice, 'post')
  const path = `/api/documents/shop.invoice/${invoice.id}/actions/shop.write_off`
  const response = await clerk('POST', path, {
    headers: { 'Idempotency-Key': invoice.id },
    body: '{"expectedVersion":2,"__proto__":{"reason":"Because."}}',
  })
  expect(await refusalOf(response)).toMatchObject({ code: 'document_action.reason_required' })
})

test('a body with more than 64 levels of nesting receives 400', async () => {
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`
  const response = await execute(clerk, await host.addDocument(), 'post', { payload: JSON.parse(deep) })
  expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'request.malformed' })
})
