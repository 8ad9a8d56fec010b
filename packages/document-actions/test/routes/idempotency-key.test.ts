import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { ExecutionResult } from '@vertical-kit/document-actions/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
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

async function postWith(headers: Readonly<Record<string, string>>): Promise<Response> {
  const { id } = await host.addDocument()
  return clerk('POST', `/api/documents/shop.invoice/${id}/actions/post`, {
    headers,
    body: { expectedVersion: 1 },
  })
}

test.each<[what: string, headers: Readonly<Record<string, string>>]>([
  ['a request without the header', {}],
  ['an empty header', { 'Idempotency-Key': '' }],
  ['a header of white space', { 'Idempotency-Key': ' \t' }],
])('%s receives 400 for a missing key', async (_what, headers) => {
  const response = await postWith(headers)
  const { executions } = await everyRow(host.database)
  expect(executions).toEqual([])
  expect(await refusalOf(response)).toMatchObject({
    status: 400,
    code: 'document_action.idempotency_key_required',
  })
})

test.each<[what: string, key: string]>([
  ['201 characters', 'a'.repeat(201)],
  ['a space', 'a b'],
  ['a non-ASCII letter', 'ä'],
  ['empty quotes', '""'],
  ['two keys', 'a, b'],
])('a header with %s receives 400 for an invalid key', async (_what, key) => {
  expect(await refusalOf(await postWith({ 'Idempotency-Key': key }))).toMatchObject({
    status: 400,
    code: 'document_action.idempotency_key_invalid',
  })
})

test('two headers, which the server joins, receive 400 for an invalid key', async () => {
  const { id } = await host.addDocument()
  const { headers } = new Request('http://localhost')
  headers.append('Idempotency-Key', 'one')
  headers.append('Idempotency-Key', 'two')
  const path = `/api/documents/shop.invoice/${id}/actions/post`
  const response = await clerk('POST', path, {
    headers: Object.fromEntries(headers),
    body: { expectedVersion: 1 },
  })
  expect(await refusalOf(response)).toMatchObject({ code: 'document_action.idempotency_key_invalid' })
})

test.each(['a', 'a'.repeat(200), `"${'a'.repeat(199)}"`, '!~'])('the key %s is accepted', async (key) => {
  expect((await postWith({ 'Idempotency-Key': key })).status).toBe(200)
})

test('a quoted key and the same bare key are equal', async () => {
  const invoice = await host.addDocument()
  const first = await executed(clerk, invoice, 'post', { key: 'quoted-or-not' })
  const repeat = await execute(clerk, invoice, 'post', { key: '"quoted-or-not"' })
  expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
  expect(await expectJson<ExecutionResult>(repeat, 200)).toEqual(first)
})

test('keys are case-sensitive', async () => {
  await executed(clerk, await host.addDocument(), 'post', { key: 'case' })
  await executed(clerk, await host.addDocument(), 'post', { key: 'CASE' })
  const [row] = await host.database.read((db) =>
    db.execute(sql`
      select count(*)::int as count from document_actions.executions where lower(idempotency_key) = 'case'`),
  )
  expect(row).toEqual({ count: 2 })
})
