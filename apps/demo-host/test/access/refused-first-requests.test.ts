import { randomUUID } from 'node:crypto'
import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { type OpenDemo, openDemo, type Request } from '../demo-process.ts'
import { attach, targetQuery } from '../uploads.ts'

/** A request that is refused, with the status of the refusal. */
interface Refused {
  readonly operation: string
  readonly path: string
  readonly status: number
  readonly body?: object
}

const missing = '00000000-0000-7000-8000-000000000000'
/** These operations cannot be refused, except for missing rights or a malformed request. */
const neverRefused = ['POST /hubs/work-center/negotiate', 'DELETE /api/me/substitution']

let issuer: TestIssuer
let demo: OpenDemo
let admin: Request
beforeAll(async () => {
  issuer = await startTestIssuer()
  demo = await openDemo({
    Attachments__MaxActivePerObject: '1',
    Oidc__Issuers__test__Issuer: issuer.oidc.issuer,
    Oidc__Issuers__test__Audience: issuer.oidc.audience,
    Oidc__Issuers__test__AdministratorRole: 'platform-admin',
  })
  admin = await demo.as('admin')
})
afterAll(async () => {
  await demo?.close()
  await issuer?.close()
})

/** Sends a request of a subject that has all rights and no user record. Returns the status, and the subjects of the new records. */
async function firstRequest({ operation, path, body }: Refused) {
  const subject = `first-${randomUUID()}`
  const token = await issuer.token({ subject, roles: ['platform-admin'] })
  const response = await fetch(`${demo.url}${path}`, {
    method: operation.split(' ')[0] ?? '',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { items } = await expectAnswer(admin('GET', `/api/security/users?q=${subject}`), 200)
  return { status: response.status, subjects: items.map((user) => user['subject']) }
}

/** Creates objects, and returns requests that are refused only while they change them. */
async function conflicts(): Promise<readonly Refused[]> {
  const clerk = await demo.as('clerk')
  const made = (path: string, body: object, as = clerk) => expectAnswer(as('POST', path, { body }), 201)
  const customer = await made('/api/catalogs/trade.customer', { name: 'Acme' })
  const item = await made('/api/catalogs/trade.item', { name: 'Bolt' })
  const fields = {
    customerId: customer.id,
    dueDate: '2027-01-31',
    lines: [{ itemId: item.id, quantity: 1, unitPrice: '1.00' }],
  }
  const { id } = await made('/api/documents/trade.sales_invoice', { fields })
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  const file = { fileName: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('a') }
  await attach(clerk, target, file)
  const note = await made('/api/notes', { target, text: 'a note' })
  const role = { code: 'test.one', name: 'One', description: '', permissions: [] }
  const { id: roleId } = await made('/api/security/roles', role, admin)
  await made('/api/security/roles', { ...role, code: 'test.two' }, admin)
  const user = { subject: 'taken', email: null, displayName: 'Taken', roleIds: [] }
  const { id: userId } = await made('/api/security/users', user, admin)

  const invoice = `/api/documents/trade.sales_invoice/${id}`
  const draft = '/api/documents/trade.sales_invoice/{id}'
  const action = '/api/documents/{documentType}/{id}/actions/{actionCode}'
  const security = '/api/security'
  const to = { expectedVersion: 1, to: { userId: missing } }
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const substitution = { userId: missing, fromUtc: inDays(0), untilUtc: inDays(1) }
  const upload = { target, fileName: 'b.txt', contentType: 'text/plain', sizeBytes: 1 }
  const refused = (operation: string, status: number, rest: Partial<Refused> = {}): Refused => ({
    path: (operation.split(' ')[1] ?? '').replaceAll(/\{\w+\}/g, missing),
    ...{ operation, status, ...rest },
  })
  const ofNote = { path: `/api/notes/${note.id}` }
  return [
    refused('PUT /api/notes/{id}', 409, { ...ofNote, body: { text: 'edited', version: 7 } }),
    refused('DELETE /api/notes/{id}', 400, ofNote),
    refused('DELETE /api/notes/{id}', 409, { path: `${ofNote.path}?version=7` }),
    refused('POST /api/attachments/uploads', 409, { body: upload }),
    refused(`POST ${security}/roles`, 409, { body: role }),
    refused(`PUT ${security}/roles/{id}`, 409, {
      path: `${security}/roles/${roleId}`,
      body: { ...role, code: 'test.two' },
    }),
    refused(`PUT ${security}/roles/{id}/permissions`, 409, {
      path: `${security}/roles/${roleId}/permissions`,
      body: { permissions: ['system.notes.read'], expectedPermissions: ['system.notes.create'] },
    }),
    refused(`POST ${security}/users`, 409, { body: user }),
    refused(`POST ${security}/users`, 400, { body: { ...user, subject: 'free', roleIds: [missing] } }),
    refused(`PUT ${security}/users/{id}/roles`, 404, { body: { roleIds: [] } }),
    refused(`PUT ${security}/users/{id}/substitution`, 409, {
      path: `${security}/users/${userId}/substitution`,
      body: substitution,
    }),
    refused('PUT /api/me/substitution', 409, { body: substitution }),
    refused('POST /api/work-center/team/tasks/{id}/assign', 404, { body: to }),
    refused('POST /api/work-center/tasks/{id}/forward', 404, { body: to }),
    refused('POST /api/system/outbox/events/{id}/retry', 404, { body: { reason: 'repaired' } }),
    refused('POST /api/system/outbox/events/{id}/discard', 404, { body: { reason: 'obsolete' } }),
    refused('PUT /api/business-objects/watch', 404, {
      path: `/api/business-objects/watch?${targetQuery({ ...target, id: missing })}`,
    }),
    refused('DELETE /api/catalogs/trade.customer/{id}', 409, {
      path: `/api/catalogs/trade.customer/${customer.id}`,
    }),
    refused(`PUT ${draft}`, 409, { path: invoice, body: { fields, expectedVersion: 7 } }),
    refused(`DELETE ${draft}`, 409, { path: `${invoice}?expectedVersion=7` }),
    ...['', '?dryRun=true'].map((query) =>
      refused(`POST ${action}`, 409, {
        path: `${invoice}/actions/unpost${query}`,
        body: { expectedVersion: 1 },
      }),
    ),
  ]
}

/** Returns a refused request to every operation that changes something: it names objects that do not exist. */
async function requestsToEveryOperation(): Promise<readonly Omit<Refused, 'status'>[]> {
  const { paths } = (await (await fetch(`${demo.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: object }>>
  }
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const operation = `${method.toUpperCase()} ${template}`
      if (method === 'get' || neverRefused.includes(operation)) return []
      const path = template
        .replace('{documentType}', 'trade.sales_invoice')
        .replace('{actionCode}', 'post')
        .replace('{id}', missing)
      return [{ operation, path, ...(requestBody && { body: {} }) }]
    }),
  )
}

test('a conflict of the first request of a subject creates no user record', async () => {
  const refused = await conflicts()
  const actual = []
  for (const request of refused) actual.push({ ...request, ...(await firstRequest(request)) })
  expect(actual).toEqual(refused.map((request) => ({ ...request, subjects: [] })))
})

test('a refused first request to any operation creates no user record', async () => {
  const requests = await requestsToEveryOperation()
  for (const request of requests) {
    const { status, subjects } = await firstRequest({ ...request, status: 400 })
    expect({ ...request, isRefused: status >= 400 && status < 500, subjects }).toEqual({
      ...{ ...request, isRefused: true, subjects: [] },
    })
  }
  expect(requests.length).toBeGreaterThan(50)
})
