import { newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import {
  type BusinessObjectTypes,
  createBusinessObjects,
  type ReadAttempt,
} from '@vertical-kit/core-audit/objects'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../harness.ts'

const db: Db = {
  execute: () => Promise.reject(new Error('no statement is needed here')),
}

const caller = testCaller()
const id = newId()
const invoice: BusinessObjectReference = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
const isReadable = async () => true

describe('a set of business object types', () => {
  const of = (kind: string, ...typeCodes: readonly string[]): BusinessObjectTypes => ({
    kind: kind as BusinessObjectTypes['kind'],
    typeCodes,
    isReadable,
  })

  test.each<[string, readonly BusinessObjectTypes[], string]>([
    ['with an unknown kind', [of('Register', 'trade.stock')], 'Register is not a kind of business object'],
    ['with a kind in another case', [of('document', 'trade.invoice')], 'document is not a kind'],
    ['with a type twice in one list', [of('Document', 'a.b', 'a.b')], 'Document/a.b is registered twice'],
    [
      'with a type twice in two lists',
      [of('Document', 'a.b'), of('Document', 'a.b')],
      'Document/a.b is registered twice',
    ],
    ['with a journal entry as a document', [of('Document', 'general_journal_entry')], 'go together'],
    ['with a document as a journal entry', [of('GeneralJournalEntry', 'trade.sales_invoice')], 'go together'],
    ['with an empty type code', [of('Document', '')], 'not a canonical type code'],
    ['with a type code in another case', [of('Document', 'Trade.Invoice')], 'not a canonical type code'],
    ['with a type code with a slash', [of('Document', 'trade/invoice')], 'not a canonical type code'],
    ['with a type code that ends in a dot', [of('Document', 'trade.')], 'not a canonical type code'],
    ['with a type code with white space', [of('Document', 'trade.invoice ')], 'not a canonical type code'],
  ])('%s is rejected', (_case, types, message) => {
    expect(() => createBusinessObjects(types)).toThrow(TypeError)
    expect(() => createBusinessObjects(types)).toThrow(message)
  })
})

test('two kinds can use the same type code', () => {
  const types = [
    { kind: 'Document', typeCodes: ['trade.price'], isReadable },
    { kind: 'CatalogItem', typeCodes: ['trade.price'], isReadable },
  ] as const
  expect(() => createBusinessObjects(types)).not.toThrow()
})

describe('a business object', () => {
  const asked: unknown[] = []
  const readable = newId()
  const businessObjects = createBusinessObjects([
    {
      kind: 'Document',
      typeCodes: ['trade.sales_invoice', 'trade.sales_order'],
      isReadable: async (...call) => {
        asked.push(call)
        return call[2].id === readable
      },
    },
    {
      kind: 'CatalogItem',
      typeCodes: ['trade.item'],
      isReadable: () => Promise.reject(new RangeError('the vertical’s own failure')),
    },
  ])

  test('is readable if the vertical’s rule accepts it, and the rule receives all arguments', async () => {
    const reference = { ...invoice, id: readable }
    await businessObjects.requireReadable(db, caller, reference)
    expect(await businessObjects.isReadable(db, caller, reference)).toBe(true)
    expect(asked).toEqual([
      [db, caller, reference],
      [db, caller, reference],
    ])
  })

  test('is not found if the vertical’s rule rejects it', async () => {
    expect(await refusalOf(businessObjects.requireReadable(db, caller, invoice))).toBe(
      'business_object.not_found',
    )
    expect(await businessObjects.isReadable(db, caller, invoice)).toBe(false)
  })

  test.each<[string, Partial<Record<keyof BusinessObjectReference, string>>]>([
    ['of an unregistered type', { typeCode: 'trade.unknown' }],
    ['of a type of another kind', { kind: 'CatalogItem' }],
    ['of an unknown kind', { kind: 'toString' }],
    [
      'with a kind and type that match only when joined',
      { kind: '', typeCode: 'Document/trade.sales_invoice' },
    ],
  ])('%s is unsupported and not readable', async (_case, overrides) => {
    const reference = { ...invoice, ...overrides } as BusinessObjectReference
    expect(await refusalOf(businessObjects.requireReadable(db, caller, reference))).toBe(
      'business_object.unsupported',
    )
    expect(await businessObjects.isReadable(db, caller, reference)).toBe(false)
  })

  test('propagates an error of the vertical’s rule', async () => {
    const reference: BusinessObjectReference = { kind: 'CatalogItem', typeCode: 'trade.item', id }
    await expect(businessObjects.requireReadable(db, caller, reference)).rejects.toThrow(RangeError)
    await expect(businessObjects.isReadable(db, caller, reference)).rejects.toThrow(RangeError)
  })
})

describe('several attempts to read', () => {
  const attempt = (reference: Partial<BusinessObjectReference>) => ({
    caller,
    reference: { ...invoice, id: newId(), ...reference },
  })

  test('are answered in their order, with one call for each registration', async () => {
    const calls: unknown[][] = []
    const readable = newId()
    const registration = (kind: BusinessObjectTypes['kind'], ...typeCodes: readonly string[]) => ({
      ...{ kind, typeCodes, isReadable: () => Promise.reject(new Error('not called')) },
      areReadable: async (_db: Db, attempts: readonly ReadAttempt[]) => {
        calls.push(attempts.map(({ reference }) => reference.id))
        return attempts.map(({ reference }) => reference.id === readable)
      },
    })
    const businessObjects = createBusinessObjects([
      registration('Document', 'trade.sales_invoice', 'trade.sales_order'),
      registration('CatalogItem', 'trade.item'),
    ])
    const attempts = [
      attempt({}),
      attempt({ kind: 'CatalogItem', typeCode: 'trade.item', id: readable }),
      attempt({ typeCode: 'trade.unknown', id: readable }),
      attempt({ typeCode: 'trade.sales_order', id: readable }),
    ]
    expect(await businessObjects.areReadable(db, attempts)).toEqual([false, true, false, true])
    expect(calls).toEqual([[attempts[0]?.reference.id, readable], [readable]])
    expect(await businessObjects.areReadable(db, [])).toEqual([])
  })

  test('use the rule for one object if the vertical has no other, and propagate its error', async () => {
    const readable = newId()
    const businessObjects = createBusinessObjects([
      {
        ...{ kind: 'Document', typeCodes: ['trade.sales_invoice'] },
        async isReadable(_db, _caller, reference) {
          if (reference.id === id) throw new RangeError('the vertical’s own failure')
          return reference.id === readable
        },
      },
    ])
    const attempts = [attempt({ id: readable }), attempt({})]
    expect(await businessObjects.areReadable(db, attempts)).toEqual([true, false])
    await expect(businessObjects.areReadable(db, [...attempts, attempt({ id })])).rejects.toThrow(RangeError)
  })

  test('of other registrations are answered if one fails and the caller handles failures', async () => {
    const fault = new Error('The table is missing')
    const registration = (typeCode: string, isReadable: BusinessObjectTypes['isReadable']) => ({
      ...{ kind: 'Document' as const, typeCodes: [typeCode] },
      isReadable,
    })
    const businessObjects = createBusinessObjects([
      registration('trade.sales_invoice', () => Promise.reject(fault)),
      registration('trade.sales_order', async () => true),
    ])
    const failures: unknown[] = []
    const attempts = [attempt({ typeCode: 'trade.sales_order' }), attempt({}), attempt({})]
    const answers = await businessObjects.areReadable(db, attempts, (...failure) => failures.push(failure))
    expect(answers).toEqual([true, false, false])
    expect(failures).toEqual([
      [1, fault],
      [2, fault],
    ])
  })
})
