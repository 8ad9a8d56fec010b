import type { Db } from '@vertical-kit/core-audit/database'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { catalogTypes } from '../../src/trade/catalogs/catalog-types.ts'
import { listCatalogItems } from '../../src/trade/catalogs/queries/list-catalog-items.ts'
import { documentTypes } from '../../src/trade/documents/document-types.ts'
import { listDocuments } from '../../src/trade/documents/queries/list-documents.ts'
import { act } from '../actions.ts'
import { type Body, expectAnswer } from '../answers.ts'
import { draft } from './actions/documents.ts'
import { openTradeHost } from './harness.ts'
import { type Statement, scannedWhole } from './scanned-whole.ts'

const invoices = '/api/documents/trade.sales_invoice'
const customers = '/api/catalogs/trade.customer'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')
const uploader = await host.asRole('uploader', 'trade.uploader')

const made = async (path: string, name: string, fields: object = {}): Promise<string> =>
  (await expectAnswer(clerk('POST', path, { body: { name, fields } }), 201)).id

const alder = await made(customers, 'Alder & Sons', { email: 'office@alder.example', city: 'Graz' })
const birch = await made(customers, 'Birch Bakery', { city: 'Linz' })
const bolt = await made('/api/catalogs/trade.item', 'Hex bolt M8', { sku: 'BOLT-8' })

const invoice = (customerId: string, dueDate: string, unitPrice: string) =>
  draft(clerk, 'trade.sales_invoice', {
    customerId,
    dueDate,
    lines: [{ itemId: bolt, quantity: 1.5, unitPrice }],
  })

const first = await invoice(alder, '2027-03-01', '3.00')
const second = await invoice(birch, '2027-01-01', '20.00')
const third = await invoice(alder, '2027-02-01', '100.00')
await act(clerk, third, 'post')
const payment = await draft(clerk, 'trade.customer_payment', { invoiceId: third.id, amount: '1.00' })

const get = (path: string, request: TestRequest = clerk): Promise<Body> =>
  expectAnswer(request('GET', path), 200)
const numbers = async (query: string, request?: TestRequest): Promise<readonly string[]> =>
  (await get(`${invoices}?${query}`, request)).items.map(({ number }) => number)

test.each([
  ['created', [first, second, third]],
  ['-created', [third, second, first]],
  ['due', [second, third, first]],
  ['-due', [first, third, second]],
  ['total', [first, second, third]],
  ['-total', [third, second, first]],
])('sorted by %s, the pages contain each document once', async (sort, expected) => {
  const found: string[] = []
  let cursor = ''
  do {
    const page = await get(`${invoices}?limit=1&sort=${sort}${cursor}`)
    found.push(...page.items.map(({ number }) => number))
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  expect(found).toEqual(expected.map(({ number }) => number))
})

test.each([
  ['the beginning of a number', 'si-00000', [third, second, first]],
  ['the digits of a number', '2', [second]],
  ['words of the customer', 'alder so', [third, first]],
  ['a part of an address', 'alder', [third, first]],
  ['another city', 'linz', [second]],
  ['two words of different customers', 'alder linz', []],
  ['no words', '&&', []],
])('a search for %s finds its documents', async (_, q, expected) => {
  expect(await numbers(`q=${encodeURIComponent(q)}`)).toEqual(expected.map(({ number }) => number))
})

test('a search finds payments by their invoice and by its customer', async () => {
  for (const q of ['CP-', third.number, 'alder']) {
    const { items } = await get(`/api/documents/trade.customer_payment?q=${q}`)
    expect(items.map(({ id }) => id)).toEqual([payment.id])
  }
})

test('without the right to view customers, a search finds payments by the number of their invoice', async () => {
  const finder = async (...resources: readonly string[]) => {
    const permissions = resources.map((resource) => `document.trade.${resource}.view`)
    const request = await host.as({ subject: resources.join(), permissions })
    return async (q: string) => (await get(`/api/documents/trade.customer_payment?q=${q}`, request)).items
  }
  const withInvoices = await finder('customer_payment', 'sales_invoice')
  expect((await withInvoices(third.number)).map(({ id }) => id)).toEqual([payment.id])
  expect(await withInvoices('alder')).toEqual([])
  expect(await (await finder('customer_payment'))(third.number)).toEqual([])
})

test('a search reveals no customers to users who may not view them', async () => {
  expect(await numbers('q=alder', uploader)).toEqual([])
  expect(await numbers('q=SI-', uploader)).toHaveLength(3)
})

test('filters combine, and the counts are those of the search', async () => {
  const page = await get(`${invoices}?q=alder&status=Posted&sort=due&counts=true`)
  expect(page.items.map(({ id }) => id)).toEqual([third.id])
  expect(page['counts']).toEqual({ Draft: 1, Posted: 1, MarkedForDeletion: 0 })
  expect(await get(`${invoices}?limit=1`)).not.toHaveProperty('counts')
})

test('a list of ids selects these objects', async () => {
  expect(await numbers(`ids=${first.id},${second.id.toUpperCase()}`)).toEqual([second.number, first.number])
  expect((await get(`${customers}?ids=${birch}&counts=true`)).items.map(({ id }) => id)).toEqual([birch])
})

test('catalogs are searched by words and sorted by name', async () => {
  const names = async (query: string) =>
    (await get(`${customers}?${query}`)).items.map((item) => item['name'])
  expect(await names('sort=name')).toEqual(['Alder & Sons', 'Birch Bakery'])
  expect(await names('sort=-name')).toEqual(['Birch Bakery', 'Alder & Sons'])
  expect(await names('q=OFF')).toEqual(['Alder & Sons'])
  const { nextCursor } = await get(`${customers}?sort=name&limit=1`)
  expect(await names(`sort=name&cursor=${nextCursor}`)).toEqual(['Birch Bakery'])
  expect((await get(`${customers}?q=b&counts=true`))['counts']).toEqual({ total: 1 })
  const { items } = await get('/api/catalogs/trade.item?q=8')
  expect(items.map(({ id }) => id)).toEqual([bolt])
})

test.each([
  ['in angle brackets', 'Nut <M8x>', ['m8x', '<M8x>', 'nut m8']],
  ['with combining marks', 'हिन्दी', ['हिन्दी', 'हिन्']],
  ['with a joiner', 'می\u200cخواهم', ['می\u200cخواهم', 'می']],
  ['with decomposed accents', 'Ame\u0301lie', ['am\u00e9lie', 'ame\u0301', 'ame\u0301lie']],
  [
    'with letters of other languages',
    'Ärzte Ölhandel ΑΘΗΝΑ Москва ΚΩΣΤΑΣ',
    ['ärzte', 'ÖLH', 'αθην', 'москва', 'ΚΩΣ', 'κωστας'],
  ],
  ['with typographic marks', 'O’Neil «Nord» Köln–Süd…', ['o’neil', 'neil', 'nord', 'süd', 'KÖLN–SÜD']],
])('an item with a name %s is found by its words', async (_, name, searches) => {
  const id = await made('/api/catalogs/trade.item', name)
  for (const q of searches) {
    const { items } = await get(`/api/catalogs/trade.item?q=${encodeURIComponent(q)}`)
    expect([q, items.map((item) => item.id)]).toEqual([q, [id]])
  }
})

test('a search for white space finds everything', async () => {
  for (const path of [invoices, customers]) {
    const all = await get(`${path}?counts=true`)
    for (const q of ['%20', '%09%20%E2%80%83']) expect(await get(`${path}?counts=true&q=${q}`)).toEqual(all)
  }
})

test.each(['sort=size', 'status=Gone', 'ids=x', 'counts=yes', 'sort=due&cursor=x', 'cursor=x', 'q=%00'])(
  'the query %s is refused',
  async (query) => {
    await expectAnswer(clerk('GET', `${invoices}?${query}`), 400, 'request.invalid')
  },
)

test('a cursor belongs to one order and one set of filters', async () => {
  for (const [sort, queries] of [
    ['due', ['sort=-due', 'sort=due&status=Draft', 'sort=due&q=si']],
    ['-created', ['sort=created', 'sort=due', 'status=Draft', 'q=si', `ids=${first.id}`]],
  ] as const) {
    const { nextCursor } = await get(`${invoices}?sort=${sort}&limit=1`)
    for (const query of queries)
      await expectAnswer(clerk('GET', `${invoices}?${query}&cursor=${nextCursor}`), 400, 'request.invalid')
  }
  const { nextCursor } = await get(`${invoices}?limit=1`)
  expect(await numbers(`limit=1&sort=-created&cursor=${nextCursor}`)).toEqual([second.number])
  await expectAnswer(clerk('GET', `${invoices}?cursor=${second.id}`), 400, 'request.invalid')
})

/** Runs `work` and returns the statements that it sends to the database. */
async function statementsOf(work: (db: Db) => Promise<unknown>): Promise<readonly Statement[]> {
  const statements: Statement[] = []
  await host.database.read(async (db) =>
    work({
      execute(statement) {
        statements.push(statement)
        return db.execute(statement)
      },
    }),
  )
  return statements
}

test('every list, order and search uses indexes', async () => {
  const options = { limit: 10, q: 'a 1', counts: 'true' } as const
  for (const type of documentTypes) {
    for (const key of ['created', ...type.sortKeys].flatMap((sort) => [sort, `-${sort}`])) {
      for (const query of [
        { type, limit: 10, sort: key },
        {
          ...options,
          type,
          sort: key,
          searchable: ['customer', 'invoice'] as const,
          status: 'Posted' as const,
        },
      ]) {
        for (const statement of await statementsOf((db) => listDocuments(db, query)))
          expect(await scannedWhole(host.database, statement)).toEqual([])
      }
    }
  }
  for (const { code: typeCode } of catalogTypes) {
    for (const sort of ['created', 'name', '-name'])
      for (const statement of await statementsOf((db) =>
        listCatalogItems(db, { ...options, typeCode, sort }),
      ))
        expect(await scannedWhole(host.database, statement)).toEqual([])
  }
})

test.each([
  ['due', 'documents_by_due_date'],
  ['-total', 'documents_by_total'],
])('sorted by %s, a page is a range of its index without a sort', async (sort, index) => {
  const [type] = documentTypes
  if (type === undefined) throw new Error('The vertical has no document types')
  const [statement] = await statementsOf((db) => listDocuments(db, { type, limit: 10, sort }))
  const plan = await host.database.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`)
    await tx.execute(sql`set local enable_bitmapscan = off`)
    await tx.execute(sql`set local enable_sort = off`)
    return JSON.stringify(await tx.execute(sql`explain (format json) ${statement}`))
  })
  expect(plan).toContain(`"Index Name":"${index}"`)
  expect(plan).not.toContain('"Sort"')
})
