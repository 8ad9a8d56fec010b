import { newId } from '@vertical-kit/core-audit'
import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import type { RelatedDocuments } from '@vertical-kit/document-actions/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, executed, expectJson, openShopHost, refusalOf, type ShopHost } from '../harness.ts'

const statements = recordStatements()
let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: statements.observe })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

type Reference = Pick<StoredDocument, 'typeCode' | 'id'>

const related = async ({ typeCode, id }: Reference, request = clerk): Promise<RelatedDocuments> =>
  expectJson<RelatedDocuments>(await request('GET', `/api/documents/${typeCode}/${id}/related`), 200)

/** Links invoices to an order, as if an action had derived them one after the other. */
async function derive(order: StoredDocument, count: number, fields = {}): Promise<readonly StoredDocument[]> {
  const invoices = await Promise.all(
    Array.from({ length: count }, () => host.addDocument('shop.invoice', fields)),
  )
  for (const invoice of invoices) {
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into document_actions.derivations (
          execution_id, action_code, source_type_code, source_id, created_type_code, created_id
        )
        values (
          ${newId()}::uuid, 'shop.create_invoice', ${order.typeCode}, ${order.id}::uuid,
          ${invoice.typeCode}, ${invoice.id}::uuid
        )`),
    )
  }
  return invoices
}

/** Links hidden invoices to an order, all at once. */
const deriveHidden = (order: StoredDocument, count: number): Promise<unknown> =>
  host.database.statement((tx) =>
    tx.execute(sql`
      with hidden as (
        insert into document_actions.documents (id, type_code, number, display, payload)
        select gen_random_uuid(), 'shop.invoice', gen_random_uuid()::text, 'Hidden', '{"fields": {"isSecret": true}}'
        from generate_series(1, ${count}::int)
        returning id
      )
      insert into document_actions.derivations (
        execution_id, action_code, source_type_code, source_id, created_type_code, created_id
      )
      select gen_random_uuid(), 'shop.create_invoice', ${order.typeCode}, ${order.id}::uuid, 'shop.invoice', id
      from hidden`),
  )

const shown = ({ typeCode, id, number, display, status }: StoredDocument) => ({
  ...{ typeCode, id, number, display, status },
})

test('a derivation relates both documents in both directions', async () => {
  const order = await host.addDocument('shop.order')
  expect(await related(order)).toEqual({ derivedFrom: [], derived: [] })
  const { document } = await executed(clerk, order, 'post')
  const call = { expectedVersion: 2 }
  const { createdDocument } = await executed(clerk, order, 'shop.create_invoice', call)
  if (createdDocument === null) throw new Error('The derivation returned no document')
  const { typeCode, id, number, display, status } = createdDocument
  expect(await related(order)).toEqual({
    derivedFrom: [],
    derived: [{ typeCode, id, number, display, status }],
  })
  expect(await related(createdDocument)).toEqual({
    derivedFrom: [{ ...shown(order), status: document.status }],
    derived: [],
  })
})

test('derived documents are listed newest first, without deleted and hidden ones', async () => {
  const order = await host.addDocument('shop.order')
  const [first, deleted, last] = (await derive(order, 3)) as [StoredDocument, StoredDocument, StoredDocument]
  const [hidden] = await derive(order, 1, { isSecret: true })
  await host.database.statement((tx) =>
    tx.execute(sql`delete from document_actions.documents where id = ${deleted.id}::uuid`),
  )
  expect(hidden).toBeDefined()
  expect((await related(order)).derived).toEqual([shown(last), shown(first)])
})

test('hidden documents do not displace an older visible one, with one statement more for each 501 of them', async () => {
  const order = await host.addDocument('shop.order')
  const [first] = (await derive(order, 1)) as [StoredDocument]
  await deriveHidden(order, 501)
  statements.reset()
  expect((await related(order)).derived).toEqual([shown(first)])
  expect(statements.count).toBe(4)
})

test.each([
  { source: 'no source', sourceCount: 0 },
  { source: 'a source', sourceCount: 1 },
])(
  'an answer considers the newest 5,010 links of a document with $source, with twelve statements',
  async ({ sourceCount }) => {
    const root = await host.addDocument('shop.order')
    const [order = root] = await derive(root, sourceCount)
    await derive(order, 1)
    await deriveHidden(order, 5_009 - sourceCount)
    expect((await related(order)).derived).toHaveLength(1)
    await deriveHidden(order, 1)
    statements.reset()
    expect((await related(order)).derived).toEqual([])
    expect(statements.count).toBe(12)
  },
)

test('an answer has at most 500 derived documents, and the source', async () => {
  const order = await host.addDocument('shop.order')
  const [invoice] = (await derive(order, 1)) as [StoredDocument]
  const derived = await derive(invoice, 501)
  statements.reset()
  const answer = await related(invoice)
  expect(answer.derivedFrom).toEqual([shown(order)])
  expect(answer.derived).toEqual(derived.slice(1).toReversed().map(shown))
  expect(statements.count).toBe(3)
})

test('documents of types that the caller may not view are omitted on both sides', async () => {
  const order = await host.addDocument('shop.order')
  const [invoice] = (await derive(order, 1)) as [StoredDocument]
  const ofOrders = await host.as({ subject: newId(), permissions: ['document.shop.order.view'] })
  const ofInvoices = await host.as({ subject: newId(), permissions: ['document.shop.invoice.view'] })
  expect(await related(order, ofOrders)).toEqual({ derivedFrom: [], derived: [] })
  expect(await related(invoice, ofInvoices)).toEqual({ derivedFrom: [], derived: [] })
})

test.each([1, 40])('needs three statements for %i links', async (count) => {
  const order = await host.addDocument('shop.order')
  await derive(order, count)
  statements.reset()
  expect((await related(order)).derived).toHaveLength(count)
  expect(statements.count).toBe(3)
})

test('a hidden document and an unknown id are refused alike', async () => {
  const hidden = await host.addDocument('shop.invoice', { isSecret: true })
  for (const id of [hidden.id, newId(), 'no-uuid']) {
    const response = await clerk('GET', `/api/documents/shop.invoice/${id}/related`)
    expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'documents.not_found' })
  }
})
