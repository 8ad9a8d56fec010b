import { expect, test } from 'vitest'
import { bodyOf, expectAnswer } from '../answers.ts'
import { openTradeHost, salesFields } from './harness.ts'

const customers = '/api/catalogs/trade.customer'
const absentId = '019a0000-0000-7000-8000-000000000000'
const acme = { name: 'Acme', fields: { email: 'office@acme.example', city: 'Graz' } }

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')
const viewer = await host.asRole('viewer', 'trade.viewer')
const uploader = await host.asRole('uploader', 'trade.uploader')

test('a catalog item can be created, read, replaced and deleted', async () => {
  const made = await expectAnswer(clerk('POST', customers, { body: acme }), 201)
  expect(made).toMatchObject({ ...acme, typeCode: 'trade.customer' })
  expect(made['createdAtUtc']).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/)
  expect(await expectAnswer(viewer('GET', `${customers}/${made.id}`), 200)).toEqual(made)

  const body = { name: '  Acme Ltd ', fields: { city: 'Wien' } }
  const replaced = await expectAnswer(clerk('PUT', `${customers}/${made.id.toUpperCase()}`, { body }), 200)
  expect(replaced).toMatchObject({ id: made.id, name: 'Acme Ltd', fields: { city: 'Wien' } })
  expect(replaced['createdAtUtc']).toBe(made['createdAtUtc'])

  const deletion = await clerk('DELETE', `${customers}/${made.id}`)
  expect([deletion.status, await deletion.text()]).toEqual([204, ''])
  await expectAnswer(clerk('GET', `${customers}/${made.id}`), 404, 'catalogs.not_found')
  await expectAnswer(clerk('DELETE', `${customers}/${made.id}`), 404, 'catalogs.not_found')
})

test('requests with the same creation key create one item, also at the same time', async () => {
  const body = { ...acme, creationKey: crypto.randomUUID() }
  const create = (request = clerk) => expectAnswer(request('POST', customers, { body }), 201)
  const made = await Promise.all(Array.from({ length: 5 }, () => create()))
  expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  const other = { ...body, name: 'Other' }
  await expectAnswer(clerk('POST', customers, { body: other }), 422, 'catalogs.creation_conflict')
  const timeline = `/api/audit/events?kind=CatalogItem&typeCode=trade.customer&objectId=${made[0]?.id}`
  expect((await expectAnswer(clerk('GET', timeline), 200)).items).toHaveLength(1)
  const colleague = await host.asRole('colleague', 'trade.clerk')
  expect((await create(colleague)).id).not.toBe(made[0]?.id)
})

test('unknown fields of a catalog item are ignored', async () => {
  const body = { name: 'Bolt', fields: { sku: 'B-1', colour: 'red' }, owner: 'me' }
  const made = await expectAnswer(clerk('POST', '/api/catalogs/trade.item', { body }), 201)
  expect(made['fields']).toEqual({ sku: 'B-1' })
  expect(Object.keys(made)).not.toContain('owner')
})

test('all fields of a catalog item are optional', async () => {
  const made = await expectAnswer(clerk('POST', customers, { body: { name: 'Plain' } }), 201)
  expect(made['fields']).toEqual({})
})

test('the refusal of an invalid catalog item lists every invalid field', async () => {
  const body = { name: ' ', fields: { email: 5, city: 'x\0' } }
  const refusal = await expectAnswer(clerk('POST', customers, { body }), 400, 'request.invalid')
  expect(refusal.errors.map(({ path }) => path)).toEqual(['name', 'fields.email', 'fields.city'])
  const lines = clerk('POST', customers, { body: { name: 'A\r\nB', fields: {} } })
  expect((await expectAnswer(lines, 400, 'request.invalid')).errors.map(({ path }) => path)).toEqual(['name'])
  const array = clerk('POST', customers, { body: { name: 'A', fields: ['x'] } })
  expect((await expectAnswer(array, 400, 'request.invalid')).errors).toEqual([
    { path: 'fields', message: 'expected Object' },
  ])
  const item = await clerk('POST', '/api/catalogs/trade.item', {
    body: { name: 'Nut', fields: { unitPrice: 1.5 } },
  })
  expect((await bodyOf(item)).errors).toEqual([{ path: 'fields.unitPrice', message: 'expected string' }])
})

test('the pages of a catalog contain each item once, newest first', async () => {
  const names = ['one', 'two', 'three', 'four', 'five']
  const ids: string[] = []
  for (const name of names) {
    ids.unshift((await expectAnswer(clerk('POST', '/api/catalogs/trade.item', { body: { name } }), 201)).id)
  }
  const first = await expectAnswer(viewer('GET', '/api/catalogs/trade.item?limit=3'), 200)
  const second = await expectAnswer(
    viewer('GET', `/api/catalogs/trade.item?limit=2&cursor=${first.nextCursor}`),
    200,
  )
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
  const rest = await expectAnswer(viewer('GET', '/api/catalogs/trade.item?limit=100'), 200)
  expect(rest.nextCursor).toBeNull()
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x']) {
    await expectAnswer(viewer('GET', `/api/catalogs/trade.item?${query}`), 400, 'request.invalid')
  }
})

test('an unknown catalog, an id of another catalog and a malformed id cause identical refusals', async () => {
  const { customerId, lines } = await salesFields(clerk)
  const paths = [
    '/api/catalogs/trade.supplier',
    `/api/catalogs/trade.supplier/${customerId}`,
    `${customers}/${lines[0]?.itemId}`,
    `${customers}/${absentId}`,
    `${customers}/1`,
  ]
  const answers = await Promise.all(
    paths.map((path) => expectAnswer(clerk('GET', path), 404, 'catalogs.not_found')),
  )
  expect(new Set(answers.map((body) => body['detail'])).size).toBe(1)
  for (const method of ['PUT', 'DELETE']) {
    await expectAnswer(clerk(method, `${customers}/${absentId}`, { body: acme }), 404, 'catalogs.not_found')
    await expectAnswer(
      clerk(method, `/api/catalogs/trade.supplier/${absentId}`, { body: acme }),
      404,
      'catalogs.not_found',
    )
  }
  await expectAnswer(clerk('POST', '/api/catalogs/trade.supplier', { body: acme }), 404, 'catalogs.not_found')
})

test('a catalog is hidden from callers without the view permission', async () => {
  const { customerId } = await salesFields(clerk)
  await expectAnswer(uploader('GET', customers), 404, 'catalogs.not_found')
  await expectAnswer(uploader('POST', customers, { body: acme }), 404, 'catalogs.not_found')
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const options = method === 'PUT' ? { body: acme } : {}
    await expectAnswer(uploader(method, `${customers}/${customerId}`, options), 404, 'catalogs.not_found')
  }
})

test('a change by a viewer is refused before validation, and the error contains the missing permission', async () => {
  const refusals = await Promise.all([
    expectAnswer(viewer('POST', customers, { body: 'not json' }), 403, 'permission.denied'),
    expectAnswer(viewer('PUT', `${customers}/${absentId}`, { body: {} }), 403, 'permission.denied'),
    expectAnswer(viewer('DELETE', `${customers}/${absentId}`), 403, 'permission.denied'),
  ])
  expect(refusals.map((body) => body['context'])).toEqual(
    ['create', 'edit', 'delete'].map((action) => ({ permission: `catalog.trade.customer.${action}` })),
  )
})

test('a catalog item cannot be deleted while a document references it', async () => {
  const fields = await salesFields(clerk)
  const order = await expectAnswer(
    clerk('POST', '/api/documents/trade.sales_order', { body: { fields } }),
    201,
  )
  const customer = `${customers}/${fields.customerId}`
  const item = `/api/catalogs/trade.item/${fields.lines[0]?.itemId}`
  for (const path of [customer, item]) {
    await expectAnswer(clerk('DELETE', path), 409, 'catalogs.in_use')
  }
  expect((await clerk('DELETE', `/api/documents/trade.sales_order/${order.id}`)).status).toBe(204)
  for (const path of [customer, item]) expect((await clerk('DELETE', path)).status).toBe(204)
})

test('every change of a catalog item adds an event with the changed fields and the author to its timeline', async () => {
  const { id } = await expectAnswer(clerk('POST', customers, { body: acme }), 201)
  await expectAnswer(
    clerk('PUT', `${customers}/${id}`, { body: { name: 'Acme Ltd', fields: { city: 'Graz' } } }),
    200,
  )
  const timeline = `/api/audit/events?kind=CatalogItem&typeCode=trade.customer&objectId=${id}`
  const { items } = await expectAnswer(clerk('GET', timeline), 200)
  expect(items.map((event) => [event['actionCode'], event['changes']])).toEqual([
    [
      'catalogs.updated',
      [
        { fieldPath: 'name', oldValue: 'Acme', newValue: 'Acme Ltd' },
        { fieldPath: 'fields.email', oldValue: 'office@acme.example', newValue: null },
      ],
    ],
    [
      'catalogs.created',
      [
        { fieldPath: 'name', oldValue: null, newValue: 'Acme' },
        { fieldPath: 'fields.email', oldValue: null, newValue: 'office@acme.example' },
        { fieldPath: 'fields.city', oldValue: null, newValue: 'Graz' },
      ],
    ],
  ])
  expect(items[0]?.['actor']).toMatchObject({ displayName: 'clerk' })
  await expectAnswer(viewer('GET', timeline), 403, 'permission.denied')
})

test('auditors can read the timeline of a deleted catalog item, but clerks cannot', async () => {
  const { id } = await expectAnswer(clerk('POST', customers, { body: acme }), 201)
  expect((await clerk('DELETE', `${customers}/${id}`)).status).toBe(204)

  const query = `kind=CatalogItem&typeCode=trade.customer&objectId=${id}`
  const auditor = await host.asRole('auditor', 'trade.auditor')
  const { items } = await expectAnswer(auditor('GET', `/api/audit/events?${query}`), 200)
  expect(items.map((event) => event['actionCode'])).toContain('catalogs.deleted')
  await expectAnswer(clerk('GET', `/api/audit/events?${query}`), 404, 'business_object.not_found')
})
