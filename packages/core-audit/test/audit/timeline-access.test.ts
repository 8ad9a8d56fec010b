import { type NewAuditEvent, newId } from '@vertical-kit/core-audit'
import type { TestHost, TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { event } from './events.ts'
import {
  ask,
  hidden,
  invoice,
  item,
  journal,
  openTimelineHost,
  page,
  record,
  refusal,
} from './timeline-host.ts'

let host: TestHost
let auditor: TestRequest
beforeAll(async () => {
  host = await openTimelineHost()
  auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
})
afterAll(() => host.close())

describe('reading a timeline', () => {
  const types = [
    ['a catalog item', item(newId()), 'catalog.trade.item.view_audit'],
    ['a document', invoice(newId()), 'document.trade.sales_invoice.view_audit'],
    ['a journal entry', journal(newId()), 'document.general_journal_entry.view_audit'],
  ] as const

  test.each(types)('of %s is allowed by the permission of its type', async (_case, target, permission) => {
    const request = await host.as({ subject: `holder of ${permission}`, permissions: [permission] })
    expect((await ask(request, target)).status).toBe(200)
  })

  test.each(types)('of %s is allowed by system.audit.view', async (_case, target) => {
    expect((await ask(auditor, target)).status).toBe(200)
  })

  test.each(types)('of %s is allowed for an administrator', async (_case, target) => {
    const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
    expect((await ask(root, target)).status).toBe(200)
  })

  test.each(types)(
    'of %s is denied with only permissions of other types, and the error names the missing permission',
    async (_case, target, permission) => {
      const others = [
        ...types.map(([, , other]) => other).filter((other) => other !== permission),
        'document.trade.item.view_audit',
        'catalog.trade.sales_invoice.view_audit',
        'document.trade.sales_order.view_audit',
        'document.trade.sales_invoice.view',
      ]
      const request = await host.as({ subject: `lacks ${permission}`, permissions: others })
      expect(await refusal(request, target)).toEqual({
        status: 403,
        code: 'permission.denied',
        context: { permission },
      })
    },
  )

  test('requires access to the object first, and then the audit permission', async () => {
    const visitor = await host.as({ subject: 'visitor' })
    expect(await refusal(visitor, invoice(newId()))).toMatchObject({ status: 403 })
    expect(await refusal(visitor, invoice(hidden))).toMatchObject({ status: 404 })
  })
})

test('a module decides which metadata of its events a caller may know', async () => {
  const target = invoice(newId())
  await record(host, event({ target, module: 'things', metadata: { note: 'For all', secret: 'For some' } }))
  const trusted = await host.as({
    ...{ subject: 'trusted', permissions: ['system.audit.view', 'system.secrets.read'] },
  })
  const metadataOf = async (request: TestRequest) => (await page(request, target)).items[0]?.metadata
  expect(await metadataOf(auditor)).toEqual({ note: 'For all' })
  expect(await metadataOf(trusted)).toEqual({ note: 'For all', secret: 'For some' })
})

test('the timeline of an object that the caller cannot read returns 404, even with system.audit.view', async () => {
  await record(host, event({ target: invoice(hidden) }))
  expect(await refusal(auditor, invoice(hidden))).toEqual({ status: 404, code: 'business_object.not_found' })
})

test.each<[string, Partial<NewAuditEvent['target']>]>([
  ['an unknown kind', { kind: 'Register' }],
  ['a kind in the wrong case', { kind: 'document' }],
  ['a kind named like a JavaScript property', { kind: '__proto__', typeCode: 'constructor' }],
  ['an unregistered type', { typeCode: 'trade.unknown' }],
  ['an alias of a type', { typeCode: 'sales_invoice' }],
  ['a type in the wrong case', { typeCode: 'Trade.Sales_Invoice' }],
  ['a type with white space', { typeCode: 'trade.sales_invoice ' }],
  ['a type with a character that cannot be stored', { typeCode: 'trade.sales_invoice\0' }],
  ['a type of another kind', { typeCode: 'trade.item' }],
  ['the type of journal entries and the kind Document', { typeCode: 'general_journal_entry' }],
  ['the type of a document and the kind GeneralJournalEntry', { kind: 'GeneralJournalEntry' }],
  ['the type of a document and the kind CatalogItem', { kind: 'CatalogItem' }],
])('a target with %s is unsupported', async (_case, overrides) => {
  expect(await refusal(auditor, { ...invoice(newId()), ...overrides })).toEqual({
    status: 400,
    code: 'business_object.unsupported',
  })
})
