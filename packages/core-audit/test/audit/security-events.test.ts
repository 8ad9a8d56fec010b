import { auditTimeline, newId } from '@vertical-kit/core-audit'
import { AuditEventPage } from '@vertical-kit/core-audit/contract'
import { openTestHost, type TestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordAudit } from '../../src/audit/commands/record-audit.ts'
import { deadLetterEvent } from '../../src/outbox/audit.ts'
import { openDatabase } from '../harness.ts'
import { json, problem } from '../identity/harness.ts'
import { businessObjects } from './timeline-host.ts'

let host: TestHost
let root: TestRequest
let auditor: TestRequest
let drop: () => Promise<void>
beforeAll(async () => {
  const fresh = await openDatabase()
  drop = () => fresh.drop()
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [auditTimeline({ database, businessObjects, modules: [] })],
  })
  root = await host.as({ subject: 'root', roles: ['platform-admin'] })
  auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
})
afterAll(async () => {
  await host.close()
  await drop()
})

const ask = (request: TestRequest, typeCode: string, objectId: string, more: object = {}) =>
  request(
    'GET',
    `/api/audit/events?${new URLSearchParams({ kind: 'Security', typeCode, objectId, ...more })}`,
  )
const page = async (...call: Parameters<typeof ask>) =>
  v.parse(AuditEventPage, await json(await ask(...call)))

const makeRole = async (code: string) =>
  (await json<{ id: string }>(await root('POST', '/api/security/roles', { body: { code, name: code } }))).id
const invite = async (subject: string) => {
  const body = { subject, email: null, displayName: subject, roleIds: [] }
  return (await json<{ id: string }>(await root('POST', '/api/security/users', { body }))).id
}

test('the timeline of a role lists the changes of the role, newest first, in pages', async () => {
  const id = await makeRole('shown')
  await json(await root('POST', `/api/security/roles/${id}/deactivate`))
  const target = { kind: 'Security', typeCode: 'security.role', id }
  const { items } = await page(auditor, 'security.role', id)
  expect(items).toMatchObject([
    { target, actionCode: 'roles.deactivated', actor: { displayName: 'root' }, download: null },
    { target, actionCode: 'roles.created' },
  ])
  const first = await page(auditor, 'security.role', id, { limit: '1' })
  expect(first.items).toEqual(items.slice(0, 1))
  const last = await page(auditor, 'security.role', id, { limit: '1', cursor: first.nextCursor ?? '' })
  expect(last).toMatchObject({ items: items.slice(1), nextCursor: null })
})

test('the timeline of a user lists the changes of the user', async () => {
  const id = await invite('invited')
  expect((await page(auditor, 'security.user', id.toUpperCase())).items).toMatchObject([
    { target: { kind: 'Security', typeCode: 'security.user', id }, actionCode: 'users.created' },
  ])
})

test('the timeline of an outbox event lists the actions of operators, for every event type', async () => {
  const id = newId()
  const change = { consumer: 'mail', attempts: 8, reason: 'why' }
  const by = { operator: 'olga' }
  const stored = { id, type: 'item.renamed', correlationId: null }
  await host.database.transaction((tx) =>
    recordAudit(tx, deadLetterEvent({ actionCode: 'outbox.discarded', event: stored, by, ...change })),
  )
  expect((await page(auditor, 'outbox.event', id)).items).toMatchObject([
    {
      target: { kind: 'Security', typeCode: 'outbox.event', id },
      actionCode: 'outbox.discarded',
      actor: null,
      metadata: { ...change, ...by },
    },
  ])
})

test('a timeline is empty for an id of another type and for an unknown id', async () => {
  const [roleId, userId] = [await makeRole('other'), await invite('other')]
  for (const [typeCode, id] of [
    ['security.user', roleId],
    ['security.role', userId],
    ['outbox.event', userId],
    ['security.role', newId()],
  ] as const) {
    expect(await page(auditor, typeCode, id)).toEqual({ items: [], references: {}, nextCursor: null })
  }
})

test('the kind Security requires system.audit.view for every type, even for an unknown type', async () => {
  const id = await makeRole('guarded')
  const officer = await host.as({
    subject: 'officer',
    permissions: ['system.roles.view', 'system.roles.manage', 'document.trade.sales_invoice.view_audit'],
  })
  for (const [typeCode, objectId] of [
    ['security.role', id],
    ['security.role', newId()],
    ['security.user', id],
    ['outbox.event', id],
    ['security.unknown', id],
  ] as const) {
    expect(await problem(await ask(officer, typeCode, objectId))).toMatchObject({
      status: 403,
      code: 'permission.denied',
      context: { permission: 'system.audit.view' },
    })
  }
})

test.each(['system.role', 'security.Role', 'item.renamed', '__proto__'])(
  'a timeline request with the unsupported type %j is rejected',
  async (typeCode) => {
    expect(await problem(await ask(auditor, typeCode, newId()))).toMatchObject({
      status: 400,
      code: 'business_object.unsupported',
    })
  },
)

test.each([
  ['Role', 'system.role'],
  ['User', 'system.user'],
  ['security', 'security.role'],
])('a timeline request with the unknown kind %s is rejected', async (kind, typeCode) => {
  const query = new URLSearchParams({ kind, typeCode, objectId: newId() })
  expect(await problem(await auditor('GET', `/api/audit/events?${query}`))).toMatchObject({
    code: 'business_object.unsupported',
  })
})
