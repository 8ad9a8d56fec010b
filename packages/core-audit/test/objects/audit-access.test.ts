import { newId } from '@vertical-kit/core-audit'
import { auditPermission, holdsAuditAccess, requireAuditAccess } from '@vertical-kit/core-audit/objects'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'

const id = newId()

test.each([
  [{ kind: 'CatalogItem', typeCode: 'trade.item', id }, 'catalog.trade.item.view_audit'],
  [{ kind: 'Document', typeCode: 'trade.sales_invoice', id }, 'document.trade.sales_invoice.view_audit'],
  [
    { kind: 'GeneralJournalEntry', typeCode: 'general_journal_entry', id },
    'document.general_journal_entry.view_audit',
  ],
] as const)('audit access to %o requires %s', (reference, permission) => {
  expect(auditPermission(reference)).toBe(permission)
  expect(holdsAuditAccess(testCaller([permission]), reference)).toBe(true)
  expect(holdsAuditAccess(testCaller(['system.audit.view']), reference)).toBe(true)
  expect(holdsAuditAccess(testCaller([], { isAdministrator: true }), reference)).toBe(true)
  const other = testCaller(['document.trade.sales_invoice.view', 'system.audit'])
  expect(holdsAuditAccess(other, reference)).toBe(false)
  expect(() => requireAuditAccess(testCaller([permission]), reference)).not.toThrow()
  expect(() => requireAuditAccess(testCaller(), reference)).toThrow(
    expect.objectContaining({ code: 'permission.denied', context: { permission } }),
  )
})
