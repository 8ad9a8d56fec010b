import { testCaller } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { knownMetadata } from '../src/audit.ts'

const created = { id: '01a21af1-49f4-7238-9a00-000000000001', typeCode: 'trade.sales_invoice' }
const metadata = { version: 2, createdDocument: { ...created, number: 'SI-000012' } }

test.each(['document.trade.sales_invoice.view', 'document.trade.sales_invoice.create'])(
  'a caller with %s sees the number of a created document',
  (permission) => {
    expect(knownMetadata(testCaller([permission]), metadata)).toEqual(metadata)
  },
)

test('other callers see only its id and type', () => {
  const caller = testCaller(['document.trade.sales_order.view', 'document.trade.sales_order.view_audit'])
  expect(knownMetadata(caller, metadata)).toEqual({ version: 2, createdDocument: created })
  expect(knownMetadata(caller, { version: 2 })).toEqual({ version: 2 })
})
