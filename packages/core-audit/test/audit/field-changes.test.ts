import { fieldChanges } from '@vertical-kit/core-audit'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('fieldChanges returns only fields that differ, with null for a missing field', () => {
  const before = { dueDate: '2027-01-31', customerId: 'a', lines: [{ itemId: 'x', quantity: 1 }] }
  const after = { customerId: 'b', lines: [{ quantity: 1, itemId: 'x' }], note: 'n' }
  expect(fieldChanges(before, after, 'fields.')).toEqual([
    { fieldPath: 'fields.dueDate', oldValue: '2027-01-31', newValue: null },
    { fieldPath: 'fields.customerId', oldValue: 'a', newValue: 'b' },
    { fieldPath: 'fields.note', oldValue: null, newValue: 'n' },
  ])
})

test('fieldChanges returns every field of a created or a deleted object', () => {
  expect(fieldChanges(null, { amount: '1.00' }, 'fields.')).toEqual([
    { fieldPath: 'fields.amount', oldValue: null, newValue: '1.00' },
  ])
  expect(fieldChanges({ amount: '1.00' }, null, 'fields.')).toEqual([
    { fieldPath: 'fields.amount', oldValue: '1.00', newValue: null },
  ])
})

test('fieldChanges returns a field with the name of an inherited property', () => {
  expect(fieldChanges({}, { toString: 'x', valueOf: null })).toEqual([
    { fieldPath: 'toString', oldValue: null, newValue: 'x' },
  ])
})

test('the old state becomes the new state when the changes are applied', () => {
  const value = fc.jsonValue().filter((json) => json !== null)
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value)
  fc.assert(
    fc.property(fields, fields, (before, after) => {
      const made = new Map<string, unknown>(Object.entries(before))
      for (const { fieldPath, oldValue, newValue } of fieldChanges(before, after, 'fields.')) {
        const name = fieldPath.slice('fields.'.length)
        expect(oldValue).toEqual(made.get(name) ?? null)
        if (newValue === null) made.delete(name)
        else made.set(name, newValue)
      }
      expect(Object.fromEntries(made)).toEqual(after)
    }),
  )
})
