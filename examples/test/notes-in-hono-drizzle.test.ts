import { expect, test } from 'vitest'
import { anonymous, type Browser, openShop, signIn } from './shop.ts'

const onOrder = (id: string) => `kind=Document&typeCode=shop.order&objectId=${id}`

async function takeOrder(browser: Browser, number: string): Promise<string> {
  const response = await browser.post('/orders', { number, note: `Call before ${number} leaves` })
  expect(response.status).toBe(201)
  const { id } = (await response.json()) as { readonly id: string }
  return id
}

/** Asserts that a refusal is a problem document with the request id. Returns its status and code. */
async function refusal(response: Response) {
  expect(response.headers.get('Content-Type')).toBe('application/problem+json')
  const { code, requestId } = (await response.json()) as { readonly code: string; readonly requestId: string }
  expect(requestId).toBe(response.headers.get('X-Request-Id'))
  return [response.status, code]
}

test('one transaction of the application writes an order, its note and its file', async () => {
  const { clerk, database } = await openShop()
  const id = await takeOrder(clerk, 'A-1')

  const list = await clerk.get(`/api/notes?${onOrder(id)}`)
  expect(await list.json()).toMatchObject({
    items: [{ text: 'Call before A-1 leaves', createdByDisplayName: 'Clara Clerk', version: 1 }],
  })
  const timeline = await clerk.get(`/api/audit/events?${onOrder(id)}`)
  expect(await timeline.json()).toMatchObject({
    items: [{ actionCode: 'attachments.upload_completed' }, { actionCode: 'notes.created' }],
  })

  const blank = await clerk.post('/orders', { number: 'A-2', note: ' ' })
  expect(await refusal(blank)).toEqual([400, 'notes.text_required'])
  const twice = await clerk.post('/orders', { number: 'A-1', note: 'Twice' })
  expect([twice.status, await twice.json()]).toEqual([500, { error: 'Something went wrong.' }])
  expect(await database.count('orders')).toBe(1)
  expect(await database.count('notes.notes')).toBe(1)
  expect(await database.count('core_audit.audit_events')).toBe(2)
})

test('a query of the application joins its orders with notes and files', async () => {
  const { clerk } = await openShop()
  await takeOrder(clerk, 'A-1')
  const second = await takeOrder(clerk, 'A-2')
  const target = { kind: 'Document', typeCode: 'shop.order', id: second }
  expect((await clerk.post('/api/notes', { target, text: 'Paid' })).status).toBe(201)

  const orders = await clerk.get('/orders')
  expect(await orders.json()).toEqual([
    { number: 'A-1', noteCount: 1, fileCount: 1 },
    { number: 'A-2', noteCount: 2, fileCount: 1 },
  ])
})

test('the session and the roles of the application decide the rights of a user', async () => {
  const { url, clerk, database } = await openShop()
  const id = await takeOrder(clerk, 'A-1')
  const target = { kind: 'Document', typeCode: 'shop.order', id }
  const list = `/api/notes?${onOrder(id)}`

  expect(await refusal(await anonymous(url).get(list))).toEqual([401, 'auth.required'])
  expect((await anonymous(url).get('/orders')).status).toBe(401)
  const reader = await signIn(url, 'reader')
  expect((await reader.get(list)).status).toBe(200)
  expect(await (await reader.get('/orders')).json()).toEqual([{ number: 'A-1', noteCount: 1, fileCount: 1 }])
  const written = await reader.post('/api/notes', { target, text: 'Paid' })
  expect(await refusal(written)).toEqual([403, 'permission.denied'])
  const guest = await signIn(url, 'guest')
  expect(await refusal(await guest.get(list))).toEqual([403, 'permission.denied'])
  expect((await guest.get('/orders')).status).toBe(403)

  const elsewhere = `/api/notes?${onOrder('018f0000-0000-7000-8000-000000000001')}`
  expect(await refusal(await reader.get(elsewhere))).toEqual([404, 'business_object.not_found'])
  // After the role is changed, the next request with the same cookie has the new rights.
  await database.client.query(`update users set role = 'guest' where role = 'reader'`)
  expect(await refusal(await reader.get(list))).toEqual([403, 'permission.denied'])
})

test('pages learn what their user may do, and the health of the application needs no session', async () => {
  const { clerk, url } = await openShop()
  const access = await clerk.get('/api/security/me/access')
  expect(await access.json()).toMatchObject({
    displayName: 'Clara Clerk',
    isAdministrator: false,
    permissions: expect.arrayContaining(['system.attachments.create', 'system.notes.create']),
  })
  expect((await fetch(`${url}/api/security/me/access`)).status).toBe(401)
  const health = await (await fetch(`${url}/health`)).json()
  expect(health).toMatchObject({ entries: { database: { status: 'Healthy' }, objectStoreClock: {} } })
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
})

test('a cross-site request with the session cookie is refused', async () => {
  const { url, clerk } = await openShop()
  const id = await takeOrder(clerk, 'A-1')
  const forged = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: { ...clerk.headers, 'Content-Type': 'text/plain', Origin: 'https://elsewhere.example' },
    body: JSON.stringify({ target: { kind: 'Document', typeCode: 'shop.order', id }, text: 'Forged' }),
  })
  expect(await forged.json()).toMatchObject({ status: 403, code: 'request.refused' })
})

test('after a user gets a new name, existing notes show the new name', async () => {
  const { clerk, database } = await openShop()
  const id = await takeOrder(clerk, 'A-1')
  await database.client.query(`update users set name = 'Clara Miller' where role = 'clerk'`)
  const list = await clerk.get(`/api/notes?${onOrder(id)}`)
  expect(await list.json()).toMatchObject({ items: [{ createdByDisplayName: 'Clara Miller' }] })
})

test('after a file is uploaded to the store, the summary and the activity contain the files and the note', async () => {
  const { clerk, stop } = await openShop()
  const id = await takeOrder(clerk, 'A-1')
  const target = { kind: 'Document', typeCode: 'shop.order', id }
  const file = { fileName: 'scan.txt', contentType: 'text/plain', sizeBytes: 5 }
  const reserved = await clerk.post('/api/attachments/uploads', { target, ...file })
  expect(reserved.status).toBe(201)
  const { attachment, upload } = (await reserved.json()) as {
    readonly attachment: { readonly id: string }
    readonly upload: { readonly url: string; readonly headers: Record<string, string> }
  }
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: 'hello' })
  expect((await clerk.post(`/api/attachments/${attachment.id}/complete`)).status).toBe(200)

  const summary = await clerk.get(`/api/business-objects/content-summary?${onOrder(id)}`)
  expect(await summary.json()).toEqual({ attachments: 2, notes: 1 })
  const activity = await clerk.get(`/api/business-objects/activity?${onOrder(id)}`)
  const { items } = (await activity.json()) as { readonly items: readonly { readonly type: string }[] }
  expect(new Set(items.map(({ type }) => type))).toEqual(new Set(['audit', 'file', 'note']))
  const download = await clerk.post(`/api/attachments/${attachment.id}/download`)
  const { url } = (await download.json()) as { readonly url: string }
  expect(await (await fetch(url)).text()).toBe('hello')
  expect(await stop()).toEqual([0, null])
})
